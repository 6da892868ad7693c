"""Linear models, support vectors and trees of ai.onnx.ml."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graphs.call import Call
from ...graphs.registry import ML, evaluates
from ...values.formats import LD, Array
from ...values.tensors import Arr, CannotAnswerError, fit
from ..elementwise.functions import sigmoid
from ..reducing.softmax import softmax
from ..shared import rows_of, text


def transformed(scores: Array, name: str) -> Array:
    """Scores after a post_transform."""
    if name == "SOFTMAX":
        return softmax(scores, -1)
    if name == "LOGISTIC":
        return sigmoid(scores)
    if name == "SOFTMAX_ZERO":
        # A score of zero stays zero, and takes no part.
        return np.where(scores == 0, LD(0), softmax(np.where(scores == 0, -np.inf, scores), -1))
    if name == "PROBIT":
        return _probit(scores)
    return scores


def _probit(scores: Array) -> Array:
    """The quantile of the normal distribution, by mpmath."""
    import mpmath

    made = np.empty_like(scores)
    for place in np.ndindex(scores.shape):
        item = scores[place]
        if not 0 < item < 1:
            made[place] = -np.inf if item == 0 else np.inf if item == 1 else np.nan
            continue
        with mpmath.workdps(30):
            found = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(str(item)) - 1)
            made[place] = LD(mpmath.nstr(found, 25))
    return made


def _rows(call: Call) -> Array:
    return rows_of(call.data(0).astype(LD))


def _labels(call: Call, ints: str) -> tuple[str, list[Any]]:
    names = call.attr("classlabels_strings")
    if names:
        return "string", list(names)
    return "int64", list(call.attr(ints) or [])


def _chosen(name: str, labels: list[Any], places: Array) -> Arr:
    made = np.empty(places.shape, object)
    for place in np.ndindex(places.shape):
        made[place] = labels[int(places[place])]
    return Arr(name, made) if name == "string" else fit(name, made)


@evaluates("LinearRegressor", domain=ML)
def linear_regressor(call: Call) -> Arr:
    """`X * coefficients + intercepts`, by target."""
    data, targets = _rows(call), call.attr("targets")
    weights = np.array(call.attr("coefficients"), LD).reshape(targets, -1)
    found = data @ weights.T
    if call.attr("intercepts"):
        found = found + np.array(call.attr("intercepts"), LD)
    return fit("float32", transformed(found, text(call.attr("post_transform"))))


@evaluates("LinearClassifier", domain=ML)
def linear_classifier(call: Call) -> tuple[Arr, Arr]:
    """A score for each class, and the class of the largest."""
    data = _rows(call)
    name, labels = _labels(call, "classlabels_ints")
    weights = np.array(call.attr("coefficients"), LD).reshape(-1, data.shape[1])
    if len(weights) != len(labels):
        raise CannotAnswerError("another number of score rows than of labels")
    scores = data @ weights.T
    if call.attr("intercepts"):
        scores = scores + np.array(call.attr("intercepts"), LD)
    places = np.argmax(scores, 1) if scores.size else np.zeros(len(scores), np.int64)
    found = transformed(scores, text(call.attr("post_transform")))
    return _chosen(name, labels, places), fit("float32", found)


def _kernel(call: Call, data: Array, vectors: Array) -> Array:
    kind = text(call.attr("kernel_type"))
    gamma, coef, degree = (LD(item) for item in (call.attr("kernel_params") or [0, 0, 0]))
    if kind == "RBF":
        distance = data[:, None, :] - vectors[None, :, :]
        return np.asarray(np.exp(-gamma * np.sum(distance * distance, 2)))
    dots = data @ vectors.T
    if kind == "LINEAR":
        return np.asarray(dots)
    if kind == "POLY":
        return np.asarray((gamma * dots + coef) ** degree)
    if kind == "SIGMOID":
        return np.asarray(np.tanh(gamma * dots + coef))
    raise CannotAnswerError(f"kernel_type {kind}")


@evaluates("SVMRegressor", domain=ML)
def svm_regressor(call: Call) -> Arr:
    """`sum(coefficients * K(x, support)) + rho`; its sign for one class."""
    data = _rows(call)
    count = call.attr("n_supports")
    weights = np.array(call.attr("coefficients") or [], LD)
    rho = LD((call.attr("rho") or [0.0])[0])
    if count:
        vectors = np.array(call.attr("support_vectors"), LD).reshape(count, -1)
        found = _kernel(call, data, vectors) @ weights[:count]
    else:
        found = data @ weights
    found = (found + rho).reshape(-1, 1)
    if call.attr("one_class"):
        if (found == 0).any():
            raise CannotAnswerError("a score of zero for one class")
        found = np.sign(found)
    return fit("float32", transformed(found, text(call.attr("post_transform"))))


@evaluates("SVMClassifier", domain=ML)
def svm_classifier(call: Call) -> tuple[Arr, Arr]:
    """Without support vectors: a linear score for each class."""
    if call.attr("vectors_per_class") or call.attr("prob_a"):
        raise CannotAnswerError("the document does not say how support vectors vote")
    data = _rows(call)
    name, labels = _labels(call, "classlabels_ints")
    weights = np.array(call.attr("coefficients"), LD).reshape(len(labels), -1)
    rho = np.array(call.attr("rho") or [0.0], LD)
    scores = data @ weights.T + (rho if len(rho) == len(labels) else rho[0])
    found = transformed(scores, text(call.attr("post_transform")))
    return _chosen(name, labels, np.argmax(scores, 1)), fit("float32", found)
