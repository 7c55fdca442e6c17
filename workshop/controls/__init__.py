"""The controls of the lessons: the model switch, the topic box, the prediction, the human
checkpoint, the failure lab.
"""

from .checkpoint import Decision, checkpoint
from .failure_lab import FailureLab, failure_lab
from .model_switch import ModelSwitch, model_switch
from .prediction import Prediction, predict
from .topic_box import TopicBox, topic_box

__all__ = [
    "Decision",
    "FailureLab",
    "ModelSwitch",
    "Prediction",
    "TopicBox",
    "checkpoint",
    "failure_lab",
    "model_switch",
    "predict",
    "topic_box",
]
