#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""train_pytorch.py --model NAME --batch N: seconds of a training step in PyTorch's eager mode on
the CPU, for bench/train_cpu to be held against. Optional: needs torch, says so if it is missing.

  dlrm_kaggle         26 EmbeddingBags with sparse gradients, bmm interaction, SGD: as the reference
                      script of DLRM configures it, but for --pairs
  mlperf_dlrm_dcnv2   multi-hot bags, low-rank cross network, element-wise Adagrad for all; tables
                      capped by --max-rows

Batches are random, made beforehand and not timed: ids uniform over the rows. Prints one line of
JSON: model, max_rows, batch, threads, ids, steps, step_seconds (median), step_seconds_mad,
step_seconds_min, matmul_seconds (median of the matrix products of the linear layers alone, into
memory that is there already), version.
"""

import argparse
import json
import math
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError as error:
    sys.exit(f"not_found: {error.name} is missing; pip install torch")

NUM_DENSE = 13
MODELS = {
    "dlrm_kaggle": {
        "rows": [1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194,
                 27, 14992, 5461306, 10, 5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572],
        "lookups": [1] * 26,
        "dim": 16,
        "bottom": [512, 256, 64, 16],
        "cross_layers": 0,
        "top": [512, 256, 1],
        "optimizer": "sgd",
        "lr": 0.1,
    },
    "mlperf_dlrm_dcnv2": {
        "rows": [40000000, 39060, 17295, 7424, 20265, 3, 7122, 1543, 63, 40000000, 3067956, 405282,
                 10, 2209, 11938, 155, 4, 976, 14, 40000000, 40000000, 40000000, 590152, 12973, 108,
                 36],
        "lookups": [3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1,
                    1],
        "dim": 128,
        "bottom": [512, 256, 128],
        "cross_layers": 3,
        "cross_rank": 512,
        "top": [1024, 1024, 512, 256, 1],
        "optimizer": "adagrad",
        "lr": 0.005,
    },
}


def mlp(width, widths, last_relu):
    layers = []
    for i, out in enumerate(widths):
        layers.append(nn.Linear(width, out))
        if last_relu or i + 1 < len(widths):
            layers.append(nn.ReLU(inplace=True))
        width = out
    return nn.Sequential(*layers)


def embedding_bag(rows, dim, sparse):
    bag = nn.EmbeddingBag(1, 1, mode="sum", sparse=sparse)
    bag.num_embeddings, bag.embedding_dim = rows, dim
    bag.weight = nn.Parameter(torch.empty(rows, dim).uniform_(-1 / math.sqrt(rows),
                                                              1 / math.sqrt(rows)))
    return bag


class Cross(nn.Module):
    def __init__(self, width, rank, layers):
        super().__init__()
        self.v = nn.ModuleList(nn.Linear(width, rank, bias=False) for _ in range(layers))
        self.w = nn.ModuleList(nn.Linear(rank, width) for _ in range(layers))

    def forward(self, x0):
        x = x0
        for v, w in zip(self.v, self.w):
            x = torch.addcmul(x, x0, w(v(x)))
        return x


class Dot(nn.Module):
    """[bottom output, products of the pairs]: bmm, then the entries below the diagonal."""

    def __init__(self, vectors, pairs):
        super().__init__()
        self.i, self.j = torch.tril_indices(vectors, vectors, -1)
        self.places = self.i * vectors + self.j
        self.pairs = pairs

    def forward(self, bottom, embeddings):
        z = torch.stack([bottom, *embeddings], 1)
        products = torch.bmm(z, z.transpose(1, 2))
        if self.pairs == "index":
            below = products[:, self.i, self.j]
        else:
            below = products.flatten(1).index_select(1, self.places)
        return torch.cat([bottom, below], 1)


class Recommender(nn.Module):
    def __init__(self, m, sparse, pairs):
        super().__init__()
        dim, vectors = m["dim"], len(m["rows"]) + 1
        self.bags = nn.ModuleList(embedding_bag(rows, dim, sparse) for rows in m["rows"])
        self.bottom = mlp(NUM_DENSE, m["bottom"], last_relu=True)
        self.cross = self.dot = None
        if m["cross_layers"]:
            self.cross = Cross(vectors * dim, m["cross_rank"], m["cross_layers"])
            top_in = vectors * dim
        else:
            self.dot = Dot(vectors, pairs)
            top_in = dim + vectors * (vectors - 1) // 2
        self.top = mlp(top_in, m["top"], last_relu=False)

    def forward(self, dense, ids):
        embeddings = [bag(block) for bag, block in zip(self.bags, ids)]
        bottom = self.bottom(dense)
        if self.cross is not None:
            seen = self.cross(torch.cat([*embeddings, bottom], 1))
        else:
            seen = self.dot(bottom, embeddings)
        return self.top(seen)[:, 0]


def optimizers_of(model, m, sparse):
    """Fused for dense gradients; PyTorch has no fused or foreach form for sparse ones."""
    make = torch.optim.Adagrad if m["optimizer"] == "adagrad" else torch.optim.SGD
    more = {"eps": 1e-8} if m["optimizer"] == "adagrad" else {}
    tables = list(model.bags.parameters())
    known = {id(p) for p in tables}
    dense = [p for p in model.parameters() if id(p) not in known]
    if not sparse:
        return [make(dense + tables, m["lr"], fused=True, **more)]
    return [make(dense, m["lr"], fused=True, **more), make(tables, m["lr"], **more)]


def make_batch(m, batch, generator):
    labels = torch.randint(0, 2, (batch,), generator=generator).float()
    dense = torch.rand(batch, NUM_DENSE, generator=generator)
    ids = [torch.randint(0, rows, (batch, lookups), generator=generator)
           for rows, lookups in zip(m["rows"], m["lookups"])]
    return labels, dense, ids


def train_step(model, optimizers, batch):
    labels, dense, ids = batch
    loss = F.binary_cross_entropy_with_logits(model(dense, ids), labels)
    for optimizer in optimizers:
        optimizer.zero_grad(set_to_none=True)
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    return loss


# The matrix products alone.


def product_shapes(m):
    """(in, out, needs input gradient) of every linear layer."""
    shapes = []

    def add(width, widths, first_needs):
        for i, out in enumerate(widths):
            shapes.append((width, out, first_needs or i > 0))
            width = out
    vectors = len(m["rows"]) + 1
    concat = vectors * m["dim"]
    add(NUM_DENSE, m["bottom"], False)
    for _ in range(m["cross_layers"]):
        add(concat, [m["cross_rank"], concat], True)
    add(concat if m["cross_layers"] else m["dim"] + vectors * (vectors - 1) // 2, m["top"], True)
    return shapes


def products_of(m, batch):
    """A function that runs them, into memory that is there already."""
    calls = []
    for width, out, needs_input_gradient in product_shapes(m):
        x, w, dy = torch.rand(batch, width), torch.rand(out, width), torch.rand(batch, out)
        y, dx, dw = torch.empty_like(dy), torch.empty_like(x), torch.empty_like(w)
        calls.append((x, w.t(), y))
        calls.append((dy.t(), x, dw))
        if needs_input_gradient:
            calls.append((dy, w, dx))

    def run():
        for a, b, c in calls:
            torch.mm(a, b, out=c)
    return run


# Timing.


def seconds_of(run, count, warm_up):
    """Seconds of each of `count` calls, run(i)."""
    for i in range(warm_up):
        run(i)
    times = []
    for i in range(count):
        start = time.perf_counter()
        run(i)
        times.append(time.perf_counter() - start)
    return times


def median_and_mad(values):
    median = statistics.median(values)
    return median, statistics.median(abs(v - median) for v in values)


def print_profile(run, steps):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for i in range(steps):
            run(i)
    averages = profile.key_averages()
    total = sum(e.self_cpu_time_total for e in averages)
    products = sum(e.self_cpu_time_total for e in averages
                   if e.key in ("aten::addmm", "aten::mm", "aten::bmm"))
    print(averages.table(sort_by="self_cpu_time_total", row_limit=25), file=sys.stderr)
    print(f"matrix products: {products / total:.1%} of self time", file=sys.stderr)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", choices=sorted(MODELS), required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--max-rows", type=int, default=0, help="cap of a table; 0: none")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--batches", type=int, default=16, help="prepared, used in turn")
    parser.add_argument("--table-gradient", choices=["sparse", "dense"], default="sparse")
    parser.add_argument("--pairs", choices=["select", "index"], default="select",
                        help="how the dot interaction picks the pairs; index: as the reference"
                             " script, slower")
    parser.add_argument("--profile", action="store_true", help="table of ops on stderr")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    torch.sparse.check_sparse_tensor_invariants.disable()  # the default, but without a warning
    m = dict(MODELS[arguments.model])
    if arguments.max_rows:
        m["rows"] = [min(rows, arguments.max_rows) for rows in m["rows"]]
    generator = torch.Generator().manual_seed(1)
    batches = [make_batch(m, arguments.batch, generator) for _ in range(arguments.batches)]
    sparse = arguments.table_gradient == "sparse"
    model = Recommender(m, sparse, arguments.pairs)
    optimizers = optimizers_of(model, m, sparse)

    def step(i):
        train_step(model, optimizers, batches[i % len(batches)])
    times = seconds_of(step, arguments.steps, arguments.warm_up)
    seconds, mad = median_and_mad(times)
    if arguments.profile:
        print_profile(step, min(arguments.steps, 10))
    run_products = products_of(m, arguments.batch)
    product_seconds, _ = median_and_mad(
        seconds_of(lambda _: run_products(), arguments.steps, arguments.warm_up))
    print(json.dumps({
        "model": arguments.model, "max_rows": arguments.max_rows, "batch": arguments.batch,
        "threads": arguments.threads, "ids": "uniform", "steps": arguments.steps,
        "step_seconds": seconds, "step_seconds_mad": mad, "step_seconds_min": min(times),
        "matmul_seconds": product_seconds, "version": f"torch {torch.__version__.split('+')[0]}"}))


if __name__ == "__main__":
    main()
