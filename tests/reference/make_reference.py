#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_reference.py [FOLDER]: writes ten training steps of small models, one JSON file each.

An independent implementation for tests to compare with: PyTorch in float64 with its own autograd,
embedding_bag, loss and optimizers. Written here by hand are only what PyTorch lacks: row-wise
Adagrad and Adam, weight decay of touched rows, the schedule. Needs torch and numpy; without FOLDER
it writes to tests/data/reference. Keys of a file:

  how             one sentence: what made it
  model           the model file, YAML
  initial, final  tensor name -> {shape, values in row-major order}; initial values are exact in f32
  batches         ten of {labels [n], dense [n * dense features], ids: a block [n, lookups] for each
                  feature, features in the order of the model, -1 is padding}
  losses          mean of each batch before its update
  f32_loss_error, f32_weight_error
                  largest difference if the same script computes in float32: a tolerance below them
                  asks for luck
"""

import json
import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

STEPS = 10
BATCH = 16


def table(name, rows, dim, features, pooling="sum", optimizer=None):
    """features: name -> most ids of a sample."""
    out = {"name": name, "rows": rows, "dim": dim, "pooling": pooling}
    if optimizer:
        out["optimizer"] = optimizer
    out["features"] = [{"name": n, "lookups": l} for n, l in features.items()]
    return out


def four_tables(dims):
    """One-hot, multi-hot with sum, two features on one table with mean, and a large bag."""
    return [
        table("user", 50, dims[0], {"user": 1}),
        table("tags", 20, dims[1], {"tags": 4}),
        table("item", 40, dims[2], {"item": 1, "history": 5}, pooling="mean"),
        table("words", 30, dims[3], {"words": 3}),
    ]


CASES = {
    "concat_sgd": {
        "num_dense": 3,
        "tables": four_tables([4, 6, 8, 5]),
        "bottom": [8, 4],
        "interaction": {"kind": "concat"},
        "top": [8, 1],
        "dense_optimizer": {"kind": "sgd", "lr": 0.2, "weight_decay": 0.01},
        "sparse_optimizer": {"kind": "sgd", "lr": 0.5, "weight_decay": 0.02},
    },
    "concat_no_dense": {
        "num_dense": 0,
        "tables": four_tables([4, 4, 4, 4]),
        "bottom": [],
        "interaction": {"kind": "concat"},
        "top": [6, 1],
        "dense_optimizer": {"kind": "adagrad", "lr": 0.05, "eps": 1e-6},
        "sparse_optimizer": {"kind": "sgd", "lr": 0.5},
    },
    "concat_table_optimizers": {
        "num_dense": 3,
        "tables": [
            table("user", 50, 8, {"user": 1},
                  optimizer={"kind": "adagrad", "lr": 0.1, "initial_accumulator": 0.1}),
            table("tags", 20, 4, {"tags": 4}, pooling="mean",
                  optimizer={"kind": "rowwise_adam", "lr": 0.02, "weight_decay": 0.1}),
            table("item", 40, 6, {"item": 1, "history": 5},
                  optimizer={"kind": "rowwise_adagrad", "lr": 0.1, "initial_accumulator": 0.01}),
            table("words", 30, 4, {"words": 3}),
        ],
        "bottom": [],
        "interaction": {"kind": "concat"},
        "top": [8, 4, 1],
        "first_order": True,
        "dense_optimizer": {"kind": "sgd", "lr": 0.05, "momentum": 0.5, "weight_decay": 0.01},
        "sparse_optimizer": {"kind": "adam", "lr": 0.01},
    },
    "dot_momentum_adagrad": {
        "num_dense": 3,
        "tables": four_tables([4, 4, 4, 4]),
        "bottom": [8, 4],
        "interaction": {"kind": "dot"},
        "top": [8, 4, 1],
        "dense_optimizer": {"kind": "sgd", "lr": 0.05, "momentum": 0.9},
        "sparse_optimizer": {"kind": "adagrad", "lr": 0.1, "initial_accumulator": 0.01},
        "schedule": {"kind": "constant", "warmup_steps": 4, "decay_start_step": 4},
    },
    "cross_adagrad_rowwise_adagrad": {
        "num_dense": 3,
        "tables": four_tables([4, 4, 4, 4]),
        "bottom": [8, 4],
        "interaction": {"kind": "cross", "layers": 2, "rank": 3},
        "top": [8, 4, 1],
        "dense_optimizer": {"kind": "adagrad", "lr": 0.02, "initial_accumulator": 0.001,
                            "weight_decay": 0.01},
        "sparse_optimizer": {"kind": "rowwise_adagrad", "lr": 0.1, "weight_decay": 0.02},
        "schedule": {"kind": "polynomial", "warmup_steps": 2, "decay_start_step": 4,
                     "decay_steps": 4, "power": 2.0, "end_ratio": 0.1},
    },
    "fm_adam": {
        "num_dense": 3,
        "tables": four_tables([4, 4, 4, 4]),
        "bottom": [],
        "interaction": {"kind": "fm"},
        "top": [8, 1],
        "first_order": True,
        "dense_optimizer": {"kind": "adam", "lr": 0.01, "weight_decay": 0.01},
        "sparse_optimizer": {"kind": "adam", "lr": 0.02, "weight_decay": 0.02},
    },
    "fm_bottom_rowwise_adam": {
        "num_dense": 3,
        "tables": four_tables([4, 4, 4, 4]),
        "bottom": [8, 4],
        "interaction": {"kind": "fm"},
        "top": [8, 4, 1],
        "first_order": True,
        "dense_optimizer": {"kind": "adam", "lr": 0.01, "beta1": 0.8, "beta2": 0.99, "eps": 1e-6},
        "sparse_optimizer": {"kind": "rowwise_adam", "lr": 0.05, "beta1": 0.7, "beta2": 0.95,
                             "eps": 1e-6},
        "schedule": {"kind": "cosine", "warmup_steps": 0, "decay_start_step": 3,
                     "decay_steps": 6, "end_ratio": 0.2},
    },
}


def dense_names(case):
    return [f"d{i}" for i in range(case["num_dense"])]


def features_of(case):
    """(table, feature) in the order of the model."""
    return [(t, f) for t in case["tables"] for f in t["features"]]


def flow(value):
    """A value as one line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value)


def yaml_of(name, case):
    lines = [f"id: {name}", "dense_features:" + ("" if case["num_dense"] else " []")]
    lines += [f"  - {{name: {n}, transform: none}}" for n in dense_names(case)]
    lines += ["tables:"] + [f"  - {flow(t)}" for t in case["tables"]]
    lines += [f"bottom_mlp: {flow({'widths': case['bottom']})}",
              f"interaction: {flow(case['interaction'])}",
              f"top_mlp: {flow({'widths': case['top']})}",
              f"first_order: {'true' if case.get('first_order') else 'false'}",
              f"dense_optimizer: {flow(case['dense_optimizer'])}",
              f"sparse_optimizer: {flow(case['sparse_optimizer'])}"]
    if "schedule" in case:
        lines.append(f"schedule: {flow(case['schedule'])}")
    lines.append(f"batch: {BATCH}")
    return "\n".join(lines) + "\n"


# Initial weights and batches.


def mlp_shapes(prefix, width, widths):
    shapes = {}
    for i, out in enumerate(widths):
        shapes[f"{prefix}.{i}.weight"] = (out, width)
        shapes[f"{prefix}.{i}.bias"] = (out,)
        width = out
    return shapes


def shapes_of(case):
    num_dense = case["num_dense"]
    shapes = {f"tables.{t['name']}.weight": (t["rows"], t["dim"]) for t in case["tables"]}
    shapes |= mlp_shapes("bottom_mlp", num_dense, case["bottom"])
    bottom_out = case["bottom"][-1] if case["bottom"] else num_dense
    concat = sum(t["dim"] for t, _ in features_of(case)) + bottom_out
    top_in = concat
    if case["interaction"]["kind"] == "dot":
        vectors = len(features_of(case)) + 1
        top_in = bottom_out + vectors * (vectors - 1) // 2
    if case["interaction"]["kind"] == "cross":
        rank = case["interaction"]["rank"]
        for i in range(case["interaction"]["layers"]):
            shapes[f"cross.{i}.v"] = (rank, concat)
            shapes[f"cross.{i}.w"] = (concat, rank)
            shapes[f"cross.{i}.bias"] = (concat,)
    shapes |= mlp_shapes("top_mlp", top_in, case["top"])
    if case.get("first_order"):
        for t in case["tables"]:
            shapes[f"first_order.tables.{t['name']}.weight"] = (t["rows"], 1)
        shapes["first_order.dense.weight"] = (1, num_dense)
        shapes["first_order.bias"] = (1,)
    return shapes


def initial_weights(case, rng):
    weights = {}
    for name, shape in shapes_of(case).items():
        if "tables." in name:
            value = rng.uniform(-0.5, 0.5, shape)
        elif len(shape) == 1:
            value = rng.uniform(-0.1, 0.1, shape)
        else:
            value = rng.normal(0, 1 / math.sqrt(max(shape[-1], 1)), shape)
        weights[name] = value.astype(np.float32)
    return weights


def make_ids(rng, rows, lookups):
    """[BATCH, lookups]: padding at the end, none to all of a sample; often an id twice."""
    ids = np.minimum(rng.geometric(3.0 / rows, (BATCH, lookups)) - 1, rows - 1)
    if lookups > 1:
        ids[::5, 1] = ids[::5, 0]
        kept = rng.integers(0, lookups + 1, BATCH)
        ids[np.arange(lookups) >= kept[:, None]] = -1
    return ids


def make_batch(case, rng):
    return {
        "labels": rng.integers(0, 2, BATCH),
        "dense": rng.normal(0, 1, (BATCH, case["num_dense"])).astype(np.float32),
        "ids": [make_ids(rng, t["rows"], f["lookups"]) for t, f in features_of(case)],
    }


# The model.


def pooled(weight, ids, pooling):
    """[n, dim]; a bag without ids is 0."""
    kept = ids >= 0
    offsets = torch.from_numpy(np.concatenate([[0], kept.sum(1).cumsum()[:-1]]))
    return F.embedding_bag(torch.from_numpy(ids[kept]), weight, offsets, mode=pooling)


def mlp(w, prefix, x, count, last_relu):
    for i in range(count):
        x = F.linear(x, w[f"{prefix}.{i}.weight"], w[f"{prefix}.{i}.bias"])
        if last_relu or i + 1 < count:
            x = torch.relu(x)
    return x


def pair_products(vectors):
    """[n, pairs]: (1,0), (2,0), (2,1), (3,0), ..."""
    pairs = [(i, j) for i in range(len(vectors)) for j in range(i)]
    return torch.stack([(vectors[i] * vectors[j]).sum(1) for i, j in pairs], 1)


def cross(w, x0, layers):
    x = x0
    for i in range(layers):
        u = F.linear(F.linear(x, w[f"cross.{i}.v"]), w[f"cross.{i}.w"], w[f"cross.{i}.bias"])
        x = x0 * u + x
    return x


def first_order(case, w, dense, ids):
    logit = F.linear(dense, w["first_order.dense.weight"], w["first_order.bias"])
    for (t, _), block in zip(features_of(case), ids):
        logit = logit + pooled(w[f"first_order.tables.{t['name']}.weight"], block, t["pooling"])
    return logit


def loss_of(case, w, batch, dtype):
    dense = torch.from_numpy(batch["dense"]).to(dtype)
    embeddings = [pooled(w[f"tables.{t['name']}.weight"], block, t["pooling"])
                  for (t, _), block in zip(features_of(case), batch["ids"])]
    bottom = mlp(w, "bottom_mlp", dense, len(case["bottom"]), last_relu=True)
    concat = torch.cat([*embeddings, bottom], 1)
    kind = case["interaction"]["kind"]
    seen = concat
    if kind == "dot":
        seen = torch.cat([bottom, pair_products([bottom, *embeddings])], 1)
    if kind == "cross":
        seen = cross(w, concat, case["interaction"]["layers"])
    logit = mlp(w, "top_mlp", seen, len(case["top"]), last_relu=False)
    if kind == "fm":
        vectors = [bottom, *embeddings] if case["bottom"] else embeddings
        logit = logit + pair_products(vectors).sum(1, keepdim=True)
    if case.get("first_order"):
        logit = logit + first_order(case, w, dense, batch["ids"])
    labels = torch.from_numpy(batch["labels"]).to(dtype)
    return F.binary_cross_entropy_with_logits(logit[:, 0], labels)


# Optimizers.


def schedule_factor(case, step):
    """step counts from 0."""
    s = {"kind": "constant", "warmup_steps": 0} | case.get("schedule", {})
    if step < s["warmup_steps"]:
        return (step + 1) / s["warmup_steps"]
    if s["kind"] == "constant" or step < s["decay_start_step"]:
        return 1.0
    done = min((step - s["decay_start_step"]) / s["decay_steps"], 1.0)
    if s["kind"] == "polynomial":
        left = (1 - done) ** s["power"]
    else:
        left = (1 + math.cos(math.pi * done)) / 2
    return s["end_ratio"] + (1 - s["end_ratio"]) * left


DEFAULTS = {"lr": 0.01, "momentum": 0.0, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8,
            "initial_accumulator": 0.0, "weight_decay": 0.0}


def dense_optimizer(spec, parameters):
    """A function lr_factor -> None that updates `parameters` from their gradients."""
    s = DEFAULTS | spec
    made = {
        "sgd": lambda: torch.optim.SGD(parameters, s["lr"], s["momentum"],
                                       weight_decay=s["weight_decay"]),
        "adagrad": lambda: torch.optim.Adagrad(
            parameters, s["lr"], eps=s["eps"], weight_decay=s["weight_decay"],
            initial_accumulator_value=s["initial_accumulator"]),
        "adam": lambda: torch.optim.Adam(parameters, s["lr"], (s["beta1"], s["beta2"]), s["eps"],
                                         weight_decay=s["weight_decay"]),
    }[s["kind"]]()

    def update(lr_factor):
        made.param_groups[0]["lr"] = s["lr"] * lr_factor
        made.step()
    return update


def torch_table_optimizer(s, weight):
    """sgd, adagrad, adam: PyTorch's, given the gradient of touched rows alone."""
    if s["kind"] == "adam":
        made = torch.optim.SparseAdam([weight], s["lr"], (s["beta1"], s["beta2"]), s["eps"])
    elif s["kind"] == "adagrad":
        made = torch.optim.Adagrad([weight], s["lr"], eps=s["eps"],
                                   initial_accumulator_value=s["initial_accumulator"])
    else:
        made = torch.optim.SGD([weight], s["lr"])
    steps = 0

    def update(gradient, rows, lr_factor):
        nonlocal steps
        steps += 1
        weight.grad = torch.sparse_coo_tensor(rows[None], gradient[rows], weight.shape)
        group = made.param_groups[0]
        group["lr"] = s["lr"] * lr_factor
        if s["kind"] == "adam":  # SparseAdam adds eps before the bias correction, Adam after it
            group["eps"] = s["eps"] * math.sqrt(1 - s["beta2"] ** steps)
        made.step()
    return update


def rowwise_table_optimizer(s, weight):
    """One second moment for a row: of the mean of its squared gradients."""
    second = torch.full((len(weight), 1), s["initial_accumulator"], dtype=weight.dtype)
    if s["kind"] == "rowwise_adam":
        second.zero_()
    first = torch.zeros_like(weight)
    steps = 0

    def update(gradient, rows, lr_factor):
        nonlocal steps
        steps += 1
        g = gradient[rows]
        square = (g * g).mean(1, keepdim=True)
        lr = s["lr"] * lr_factor
        if s["kind"] == "rowwise_adagrad":
            second[rows] += square
            weight.data[rows] -= lr * g / (second[rows].sqrt() + s["eps"])
            return
        first[rows] = s["beta1"] * first[rows] + (1 - s["beta1"]) * g
        second[rows] = s["beta2"] * second[rows] + (1 - s["beta2"]) * square
        m = first[rows] / (1 - s["beta1"] ** steps)
        v = second[rows] / (1 - s["beta2"] ** steps)
        weight.data[rows] -= lr * m / (v.sqrt() + s["eps"])
    return update


def touched_rows(case, t, batch):
    blocks = [b for (owner, _), b in zip(features_of(case), batch["ids"]) if owner is t]
    ids = np.unique(np.concatenate([b.ravel() for b in blocks]))
    return torch.from_numpy(ids[ids >= 0])


def table_optimizer(case, t, weight):
    """A function (batch, lr_factor) -> None."""
    s = DEFAULTS | t.get("optimizer", case["sparse_optimizer"])
    make = rowwise_table_optimizer if s["kind"].startswith("rowwise") else torch_table_optimizer
    update_rows = make(s, weight)

    def update(batch, lr_factor):
        gradient = weight.grad + s["weight_decay"] * weight.data
        update_rows(gradient, touched_rows(case, t, batch), lr_factor)
    return update


def train(case, initial, batches, dtype):
    """Losses of the steps and the weights after them."""
    w = {n: torch.tensor(v, dtype=dtype, requires_grad=True) for n, v in initial.items()}
    update_dense = dense_optimizer(case["dense_optimizer"],
                                   [v for n, v in w.items() if "tables." not in n])
    prefixes = ["tables."] + (["first_order.tables."] if case.get("first_order") else [])
    updates = [table_optimizer(case, t, w[f"{p}{t['name']}.weight"])
               for t in case["tables"] for p in prefixes]
    losses = []
    for step, batch in enumerate(batches):
        for v in w.values():
            v.grad = None
        loss = loss_of(case, w, batch, dtype)
        loss.backward()
        losses.append(loss.item())
        factor = schedule_factor(case, step)
        update_dense(factor)
        for update in updates:
            update(batch, factor)
    return losses, {n: v.detach().double().numpy() for n, v in w.items()}


# Files.


def shown(value):
    """Shortest digits that give the f32 back; of f64, ten digits."""
    if isinstance(value, np.float32):
        return str(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def list_of(values):
    return "[" + ",".join(shown(v) for v in values) + "]"


def tensors_of(weights):
    entries = [f'  "{n}": {{"shape": {list(v.shape)}, "values": {list_of(v.ravel())}}}'
               for n, v in weights.items()]
    return "{\n" + ",\n".join(entries) + "\n }"


def batches_of(batches):
    entries = ['  {"labels": %s,\n   "dense": %s,\n   "ids": %s}' % (
        list_of(b["labels"]), list_of(b["dense"].ravel()),
        list_of(np.concatenate([block.ravel() for block in b["ids"]]))) for b in batches]
    return "[\n" + ",\n".join(entries) + "\n ]"


def text_of(name, case, seed):
    rng = np.random.default_rng(seed)
    initial = initial_weights(case, rng)
    batches = [make_batch(case, rng) for _ in range(STEPS)]
    losses, final = train(case, initial, batches, torch.float64)
    losses32, final32 = train(case, initial, batches, torch.float32)
    loss_error = max(abs(a - b) for a, b in zip(losses, losses32))
    weight_error = max(np.abs(final[n] - final32[n]).max() for n in final if final[n].size)
    how = ("Made by tests/reference/make_reference.py with PyTorch"
           f" {torch.__version__.split('+')[0]} in float64 and NumPy {np.__version__}.")
    parts = {"how": json.dumps(how), "model": json.dumps(yaml_of(name, case)),
             "losses": list_of(losses), "f32_loss_error": f"{loss_error:.2g}",
             "f32_weight_error": f"{weight_error:.2g}", "initial": tensors_of(initial),
             "final": tensors_of(final), "batches": batches_of(batches)}
    print(f"{name}: losses {losses[0]:.4f} ... {losses[-1]:.4f},"
          f" f32 errors {loss_error:.2g} {weight_error:.2g}")
    return "{\n" + ",\n".join(f' "{k}": {v}' for k, v in parts.items()) + "\n}\n"


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent.parent / "data" / "reference")
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.sparse.check_sparse_tensor_invariants.enable()
    for seed, (name, case) in enumerate(CASES.items()):
        (folder / f"{name}.json").write_text(text_of(name, case, seed))


if __name__ == "__main__":
    main()
