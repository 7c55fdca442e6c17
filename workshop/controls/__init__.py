"""The controls of the lessons: the model switch, the topic box, the prediction, the human
checkpoint, the failure lab, the card of criteria.
"""

from .card import Card, criteria_card
from .checkpoint import CheckpointDecision, checkpoint, kept_file
from .failure_lab import FailureLab, failure_lab
from .model_switch import ModelSwitch, model_switch
from .prediction import Prediction, predict, tally
from .topic_box import TopicBox, topic_box

__all__ = [
    "Card",
    "CheckpointDecision",
    "FailureLab",
    "ModelSwitch",
    "Prediction",
    "TopicBox",
    "checkpoint",
    "criteria_card",
    "failure_lab",
    "kept_file",
    "model_switch",
    "predict",
    "tally",
    "topic_box",
]
