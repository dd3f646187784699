"""The alignment of the neural path kernel with the labels during training: the experiment of DGN, Figure 6, repeated.

M_t there is H_t here. The networks are others, since seeds depend on the name.
"""

from dataclasses import replace

from derivations.reproductions.sources import dgn_fig_6

REPRODUCTION = replace(
    dgn_fig_6.REPRODUCTION,
    name="npk-fig-3-alignment",
    title=r"$\nu_t$ of the path kernel during training",
    source="neural-path-kernel",
    place="Figure 3, middle",
)
