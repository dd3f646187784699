"""Claims on correlations of stationary latents other than the Gaussian one."""
