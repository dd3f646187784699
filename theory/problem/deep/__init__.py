"""Deep gated networks as declarations.

With z_0 = x and d layers of weights, the network is

    q_l = Theta_l z_(l-1),    z_l = q_l * G_l    for l = 1, ..., d - 1,    yhat = Theta_d z_(d-1),

where * multiplies node by node and G_l are the gates of level l. Four questions are answered by a part each:

    widths        nodes, or channels, of the hidden levels 1, ..., d - 1
    gating        where the gates come from; `HardResponse` and `SoftResponse` turn a preactivation into a gate
    architecture  which weights there are, and which of them are shared
    value_input   z_0 is x, or the vector of ones: a function that is constant in each region of equal gates

    gating              G_l                                            sources
    OwnGates            chi(q_l)                                       ReLU networks, soft-ReLU
    AllOpenGates        1                                              deep linear networks
    FixedGates          given numbers, a row for each example          toy networks, gates of a trained network
    BernoulliGates      1 with probability mu, independently           DGN with fixed random gates
    NetworkGates        chi(q_l) of a second network, which sees x     GaLU, DGN (Table 2), FNPF and DNPFL, DLGN

chi(q) is 1[q > 0], or 1[q >= 0], or (1 + epsilon)/(1 + exp(-beta q)). The parameters are Theta_1, ..., Theta_d and,
for a second network, Theta_g_1, ..., Theta_g_(d-1). Nothing is evaluated here.

Sources: Deep Gated Networks, Tables 1 to 3 and section 4; Neural Path Features, sections 1, 2 and 4; Half-space Feature
Learning, sections 2.1 to 2.3.
"""
