# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # From the data law to the receptive field
#
# **Question.** A gated linear network learns to tell two random processes apart that differ in nothing but their
# correlation length. Why does each of its units grow a receptive field that is localized, and what shape has it?
#
# We look at the data, derive the one expectation that matters, solve the gradient flow, and train networks beside it.
# Everything about the problem is in one file:

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.display import Math, display

from theory.problem import load

torch.set_num_threads(1)
PROBLEM = "../derivations/experiments/problems/small-bump.toml"
problem = load(PROBLEM)
print(Path(PROBLEM).read_text())

# %% [markdown]
# ## What tells the classes apart?
#
# $x = \mathrm{erf}(g z)/Z$ with a latent Gaussian $z$ whose correlation at distance $d$ is $e^{-d^2/\xi_c^2}$ in
# class $c$; $Z$ makes the variance one.

# %%
from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream

sampler = prepare(problem.data, torch.device("cpu"), torch.float64)
examples = sampler.draw([stream(0, 0, MEASUREMENT)], 2000)
x, category = examples.x[0].numpy(), examples.category[0].numpy()
figure, axes = plt.subplots(1, 2, figsize=(9, 2.6), sharey=True, layout="constrained")
for c, axis in enumerate(axes):
    y, xi = float(problem.data.labels[c]), float(problem.data.xi[c])
    axis.plot(x[category == c][:4].T, lw=1)
    axis.set(title=rf"class $y = {y:g}$, $\xi = {xi:g}$", xlabel="site")
    print(f"y = {y:g}: mean {x[category == c].mean():+.3f}, variance {x[category == c].var():.3f}")
axes[0].set_ylabel("input $x$")
plt.show()

# %% [markdown]
# **Answer.** Not the mean and not the variance of a site, which are those of the other class: the correlation alone.
# A linear network could not use it, for $\langle y x \rangle = 0$. A gate makes the difference.

# %% [markdown]
# ## What passes through a gate?
#
# The first unit's gate is open where $z_{20} \geq 0$. The mean of site $k$ behind this gate is the expectation of a
# step and an erf of two Gaussian variables with correlation $\rho$. It is derived symbolically in checked steps.

# %%
from derivations.markdown import plain
from theory.gaussian import expect

moment = expect("Heaviside(z1)*erf(g*z2)", "[[1, rho], [rho, 1]]", where="g>0, -1<rho<1")
for step, check in zip(moment.derivation.steps, moment.derivation.check(), strict=False):
    print(f"{'checked' if check.passed else 'WRONG'}  [{step.rule}] {plain(step.why)}")
display(Math(r"\mathrm{E}[\theta(z_1)\,\mathrm{erf}(g z_2)] = " + moment.latex))
certified = moment.evaluate(digits=30, g=1, rho="1/2")
print(f"at g = 1, rho = 1/2: {certified.value}, error at most {certified.radius}")

# %% [markdown]
# **Answer.** A mean that is no longer zero, and that grows with the correlation between site $k$ and the gate's site.
# So the two classes, whose correlations differ near the gate, now have different means. Divided by $Z$ and averaged
# over the classes with their labels, this is $\Sigma^{yx}(p_1) = \langle g_1 y x \rangle$:

# %%
from theory.moments import gated_moments

moments = gated_moments(problem)
figure, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
axes[0].plot(moments.sigma_yx[0], color="#0072B2")
axes[0].set(title=r"$\Sigma^{yx}(p_1)$", xlabel="site k", ylabel="units of x y")
for axis, block, title in ((axes[1], (0, 0), "p_1, p_1"), (axes[2], (0, 1), "p_1, p_2")):
    image = axis.imshow(moments.sigma_xx[block], cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    axis.set(title=rf"$\Sigma^{{xx}}({title})$", xlabel="site l", ylabel="site k")
figure.colorbar(image, ax=axes[1:], shrink=0.8, label="units of x²")
plt.show()

# %% [markdown]
# $\Sigma^{xx}(p_1, p_1)$ is half the covariance of the input, wherever the gate is. The two gates never open on the
# same input, so that $\Sigma^{xx}(p_1, p_2) = 0$: the units learn independently of each other.

# %% [markdown]
# ## Where does gradient flow go?
#
# $K \tau\, \dot w = b - A w / K$ decouples into the two units, and each into the eigenmodes of the covariance.

# %%
from theory.flow import solve

solution = solve(PROBLEM)
display(solution.plot())
print(solution)
print("unit 0, sites 17 to 23")
for name, field in (("t = 10", solution.at(10)[0]), ("t = oo", solution.fixed_point[0])):
    print(f"{name:>8}: {np.round(field[17:24], 3)}")

# %% [markdown]
# **Answer.** To a bump at the gate's site, with small ripples of the other sign beside it. It is $\Sigma^{yx}$ with the
# correlations of the input divided out, which makes it narrower. Far from the gate the gated means of both classes
# vanish, and so do the weights.

# %% [markdown]
# ## Do trained networks do that?
#
# Training takes finite steps on finite batches. So the networks are compared with the exact law of gradient descent at
# their learning rate, whose limit for small steps is the flow.

# %%
from derivations.answers import compare

answer = compare.answer(problem, device="cpu")
display(answer.figure())
apart = answer.distance
print(f"|E w - theory| / |theory| at t = {apart.times[-1]:g}: between {apart.low[-1]:.4f} and {apart.high[-1]:.4f}")
print("(such bands hold at all times together with probability 99 %)")

# %% [markdown]
# **Answer.** Yes. The mean field of the networks is the predicted one within the noise that so many networks leave. The
# loss of each single network lies a little higher, because its weights scatter about the mean.

# %% [markdown]
# ## And with the longer correlation in the other class?
#
# The same formulas, with $\xi = 1$ for $y = 1$ and $\xi = 2$ for $y = 0$:

# %%
REVERSED = "../derivations/experiments/problems/small-bump-reversed.toml"
figure, axes = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
for path, dash, colour in ((PROBLEM, "-", "#0072B2"), (REVERSED, "--", "#D55E00")):
    one = load(path)
    name = f"ξ = {float(one.data.xi[0]):g} for y = 1, {float(one.data.xi[1]):g} for y = 0"
    field = solve(one).fixed_point[0]
    power = np.abs(np.fft.rfft(field))
    axes[0].plot(field, dash, color=colour, label=name)
    axes[1].plot(power, dash, color=colour)
    print(f"{name}: largest amplitude at {power.argmax()} cycles per 40 sites")
axes[0].set(title="receptive field of unit 0", xlabel="site", ylabel="weight, 1/(units of x)")
axes[1].set(title="its spectrum", xlabel="cycles per 40 sites", ylabel="amplitude")
axes[0].legend(frameon=False, fontsize=7)
plt.show()

# %% [markdown]
# **Answer.** The field stays at the gate's site, but it alternates in sign: its spectrum peaks at the highest
# frequency. The network looks for smoothness in the first case and for roughness in the second.
