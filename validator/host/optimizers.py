"""What the optimizers of runtimes can be told: how far to go, and which passes to leave out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Optimizer:
    """An optimizer whose harness takes `--optimization=LEVEL` and `--without=PASS,PASS`.

    Attributes:
        levels: names of levels: nothing first, what the runtime does unasked last.
        passes: names of passes that can be left out; those that a version lacks do no harm.
    """

    levels: tuple[str, ...]
    passes: tuple[str, ...]


def at_level(level: str) -> str:
    """The option of a harness for one level of its optimizer."""
    return f"--optimization={level}"


def without(passes: Iterable[str]) -> str:
    """The option of a harness for an optimizer that leaves passes out."""
    return f"--without={','.join(passes)}"


# The names are those that `disabled_optimizers` takes: onnxruntime's graph_transformer_utils.cc.
ONNXRUNTIME = Optimizer(
    levels=("none", "basic", "extended", "all"),
    passes=(
        *("EliminateIdentity", "EliminateSlice", "UnsqueezeElimination", "EliminateDropout"),
        *("ExpandElimination", "CastElimination", "CastChainElimination"),
        *("PreShapeNodeElimination", "NoopElimination", "DivMulFusion", "FuseReluClip"),
        *("GemmSumFusion", "GemmTransposeFusion", "NotWhereFusion", "ConvAddFusion"),
        *("ConvMulFusion", "ConvBNFusion", "PadFusion", "MatmulBNFusion", "MatMulBNFusion"),
        *("LabelEncoderFusion", "ClipQuantRewrite", "ClipQuantFusion", "ReluQuantRewrite"),
        *("ReluQuantFusion", "DoubleQDQPairsRemover", "ConstantSharing"),
        *("CommonSubexpressionElimination", "ConstantFolding", "MatMulAddFusion"),
        *("ReshapeFusion", "FreeDimensionOverrideTransformer", "GeluFusion", "GeluFusionL1"),
        *("GeluFusionL2", "LayerNormFusion", "LayerNormFusionL1", "LayerNormFusionL2"),
        *("QDQPropagationTransformer", "WeightBiasQuantization", "EnsureUniqueDQForNodeUnit"),
        *("TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"),
        *("QDQS8ToU8Transformer", "QDQSelectorActionTransformer", "GemmActivationFusion"),
        *("MatMulIntegerToFloatFusion", "DynamicQuantizeMatMulFusion", "ConvActivationFusion"),
        *("SimplifiedLayerNormFusion", "AttentionFusion", "EmbedLayerNormFusion"),
        *("GatherSliceToSplitFusion", "GatherToSplitFusion", "GatherToSliceFusion"),
        *("MatmulTransposeFusion", "BiasGeluFusion", "SkipLayerNormFusion", "FastGeluFusion"),
        *("QuickGeluFusion", "BiasSoftmaxFusion", "BiasDropoutFusion", "MatMulScaleFusion"),
        *("MatMulActivationFusion", "Avx2WeightS8ToU8Transformer", "MatMulNBitsFusion"),
        *("DQMatMulNBitsFusion", "QDQFinalCleanupTransformer", "NchwcTransformer"),
        *("NhwcTransformer", "ConvAddActivationFusion", "SwiGluFusion"),
        *("GroupQueryAttentionFusion", "GroupQueryAttentionPreNormFusion"),
        *("SliceConcatToSpaceToDepthFusion", "BiasSkipLayerNormFusion"),
    ),
)
