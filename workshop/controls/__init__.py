"""The controls of the lessons: the model switch, the topic box, the prediction, the human checkpoint."""

from .checkpoint import Decision, checkpoint
from .model_switch import ModelSwitch, model_switch
from .prediction import Prediction, predict
from .topic_box import TopicBox, topic_box

__all__ = ["Decision", "ModelSwitch", "Prediction", "TopicBox", "checkpoint", "model_switch", "predict", "topic_box"]
