"""The experiments that have not run, with their printed numbers, cost and needs; one that is ready becomes a file."""

from derivations.reproductions.model import Waiting

DGN, NPK, DLGN = "deep-gated-networks", "neural-path-kernel", "half-space-feature-learning"
_MNIST, _FASHION = (
    "the data set MNIST (gdln data get mnist)",
    "the data set Fashion-MNIST (gdln data get fashion-mnist)",
)
_BINARY = f"{_MNIST}, its classes 4 and 7"
_CIFAR, _BOTH = "the files of CIFAR-10 and a GPU", "the files of CIFAR-10 and CIFAR-100 and a GPU"
_HOURS = "hours on a GPU"

WAITING = (
    Waiting(
        "dgn-fig-5",
        "GaLU and ReLU networks on MNIST, random labels and random pixels",
        DGN,
        "Figure 5",
        "training accuracy near 100 %; test accuracy 98.5 % (ReLU) and 96.5 % (GaLU)",
        "about 1 hour on one core",
        _MNIST,
    ),
    Waiting(
        "dgn-experiment-6",
        "Training of the gates alone",
        DGN,
        "Experiment 6",
        "test accuracy 56 %",
        "minutes on a GPU, hours on one core",
        _CIFAR,
    ),
    Waiting(
        "dgn-table-4",
        "Soft-ReLU networks from linear to hard gates",
        DGN,
        "Table 4 (Experiment 7)",
        "training and test accuracy: 0.5042 and 0.3939 (deep linear), 0.99 and 0.71 (ReLU)",
        f"18 configurations of 5 runs, {_HOURS}",
        _CIFAR,
    ),
    Waiting(
        "npk-table-2-cifar",
        "Fixed and learned path features, convolutional",
        NPK,
        "Table 2, CIFAR-10",
        "test accuracy of GCONV with Adam 67.09, 67.08, 77.12, 79.68 and 80.43 % in the same order; section 6 has "
        "80.34 % for the last",
        f"20 configurations of 5 runs, {_HOURS}",
        _CIFAR,
    ),
    Waiting(
        "npk-fig-3-stages",
        "Path features of successive stages of training",
        NPK,
        "Figure 3, left",
        "test accuracy from 72 to 79.68 %, above the 77.43 % of the convolutional tangent kernel",
        _HOURS,
        _CIFAR,
    ),
    Waiting(
        "dlgn-table-1",
        "ReLU networks, DLGNs and deep linear networks",
        DLGN,
        "Table 1",
        "training and test accuracy 96.3 and 72.17 (ReLU), 85.3 and 73.2 (DLGN), 84.9 and 72.2 (DLGN-PWC), "
        "42.3 and 40.79 % (deep linear)",
        "about 1 hour on a GPU",
        _CIFAR,
    ),
    Waiting(
        "dlgn-table-2",
        "Residual networks with linear gates",
        DLGN,
        "Table 2",
        "test accuracy of ResNet-34 91 (ReLU) and 86 % (DLGN), of ResNet-110 94 and 89 %, on CIFAR-10",
        f"many {_HOURS}",
        _BOTH,
    ),
)
