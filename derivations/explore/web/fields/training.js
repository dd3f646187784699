// What a reader may choose of a training.

export const NETWORKS = Array.from({ length: 28 }, (_, place) => String(place + 5));
export const BATCHES = ["32", "64", "128", "256", "512", "1024"].map((size) => [size, `${size} examples`]);
export const REST = 500; // milliseconds without a change, after which networks are trained
