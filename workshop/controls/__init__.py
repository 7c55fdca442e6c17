"""The controls of the lessons: the model switch, the topic box, the human checkpoint."""

from .checkpoint import Decision, checkpoint
from .model_switch import ModelSwitch, model_switch
from .topic_box import TopicBox, topic_box

__all__ = ["Decision", "ModelSwitch", "TopicBox", "checkpoint", "model_switch", "topic_box"]
