#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ml100k_pytorch.py PREFIX [--seeds N] [--split-seeds N] [--set KEY=VALUE]...: a DeepFM on
MovieLens-100K in PyTorch, to hold `ambidex train ml100k_deepfm` against.

PREFIX is that of RecBole's atomic files PREFIX.inter, .user and .item. The model, its optimizers
and the split are those of the preset: the same samples train, validate and test. Needs torch and
numpy; prints one line of JSON for each run and one for all.
"""

import argparse
import json
import math
import pathlib
import sys
import time

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(f"not_found: {error.name} is missing; pip install torch numpy")

# The preset's fields, in our names.
SETTINGS = {
    "dim": 16,
    "widths": "64,32",
    "dropout": 0.2,
    "genre_pooling": "mean",
    "table_init": 0.05,
    "sparse_kind": "adagrad",
    "sparse_lr": 0.2,
    "sparse_weight_decay": 5e-4,
    "dense_kind": "adam",
    "dense_lr": 0.001,
    "dense_weight_decay": 0.0,
    "eps": 1e-8,
    "batch": 1024,
    "epochs": 16,
    "schedule": "cosine",  # over all steps, or constant
    "warmup_steps": 0,
    "end_ratio": 0.0,
}

FEATURES = ["user_id", "item_id", "age", "gender", "occupation", "class", "release_year"]
MAX_GENRES = 6
VALID_RATIO = 0.1
TEST_RATIO = 0.1


# The split: src/base/random.h in uint64.


def mix(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def random_bits(key, counter):
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        return mix(mix(key + golden) + (counter + np.uint64(1)) * golden)


def random_key(key, purpose):
    return random_bits(~key, np.uint64(purpose))


def random_unit(key, counters):
    return (random_bits(key, counters) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def split_of(count, seed):
    """0 train, 1 validation, 2 test for each record."""
    key = random_key(np.array([seed], dtype=np.uint64), 0)
    u = random_unit(key, np.arange(count, dtype=np.uint64))
    return np.where(u < TEST_RATIO, 2, np.where(u < TEST_RATIO + VALID_RATIO, 1, 0))


# Data.


def read_atomic(path):
    """Rows as field -> text."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    fields = [f.split(":")[0] for f in lines[0].split("\t")]
    return [dict(zip(fields, line.split("\t"))) for line in lines[1:] if line]


def read_data(prefix):
    """Labels [n], and of each feature a list of n lists of tokens."""
    users = {r["user_id"]: r for r in read_atomic(pathlib.Path(f"{prefix}.user"))}
    items = {r["item_id"]: r for r in read_atomic(pathlib.Path(f"{prefix}.item"))}
    labels, columns = [], {f: [] for f in FEATURES}
    for record in read_atomic(pathlib.Path(f"{prefix}.inter")):
        labels.append(float(record["rating"]) >= 4)
        record = users[record["user_id"]] | items[record["item_id"]]
        for f in FEATURES:
            columns[f].append(record.get(f, "").split() if f == "class" else [record.get(f, "")])
    return np.array(labels, np.float32), columns


def numbered(column, is_train, places):
    """ids [n, places], -1 is padding; tokens count from 1 as they appear in training data."""
    rows = {}
    for tokens, train in zip(column, is_train):
        if train:
            for token in tokens:
                if token:
                    rows.setdefault(token, len(rows) + 1)
    ids = np.full((len(column), places), -1, np.int64)
    for i, tokens in enumerate(column):
        for j, token in enumerate(tokens[:places]):
            ids[i, j] = rows.get(token, 0)
    return ids, len(rows) + 1


def prepare(labels, columns, split_seed):
    """(labels, ids [n, lookups] into one table of all rows, part, rows); id `rows` is padding."""
    part = split_of(len(labels), split_seed)
    blocks, rows = [], 0
    for f in FEATURES:
        ids, count = numbered(columns[f], part == 0, MAX_GENRES if f == "class" else 1)
        blocks.append(np.where(ids >= 0, ids + rows, -1))
        rows += count
    ids = np.concatenate(blocks, 1)
    ids[ids < 0] = rows
    return torch.from_numpy(labels), torch.from_numpy(ids), torch.from_numpy(part), rows


# Model: all tables in one, first-order weight in the last column.


class DeepFm:
    def __init__(self, rows, s, generator):
        self.rows, self.dim, self.s = rows, s["dim"], s
        unit = torch.rand(rows + 1, self.dim + 1, generator=generator)
        self.table = (unit * 2 - 1) * s["table_init"]
        self.table[:, self.dim] = 0
        self.table[rows] = 0
        self.table.requires_grad_()
        self.bias = torch.zeros(1, requires_grad=True)
        self.layers = []
        width = self.dim * len(FEATURES)
        for out in [int(w) for w in str(s["widths"]).split(",") if w] + [1]:
            deviation = math.sqrt(2 / (width + out))
            weight = torch.randn(out, width, generator=generator) * deviation
            self.layers.append((weight.requires_grad_(), torch.zeros(out, requires_grad=True)))
            width = out
        self.generator = generator

    def dense_parameters(self):
        return [self.bias] + [p for layer in self.layers for p in layer]

    def pooled(self, ids):
        """[n, features, dim + 1]"""
        e = self.table[ids]
        genres = slice(5, 5 + MAX_GENRES)
        pooled = e[:, genres].sum(1, keepdim=True)
        if self.s["genre_pooling"] == "mean":
            count = (ids[:, genres] < self.rows).sum(1).clamp(min=1)
            pooled = pooled / count[:, None, None]
        return torch.cat([e[:, :5], pooled, e[:, 5 + MAX_GENRES:]], 1)

    def logit(self, ids, training):
        e = self.pooled(ids)
        v = e[:, :, :self.dim]
        total = v.sum(1)
        logit = self.bias + e[:, :, self.dim].sum(1)
        logit = logit + 0.5 * (total * total - (v * v).sum(1)).sum(1)
        x = v.reshape(len(ids), -1)
        for i, (weight, bias) in enumerate(self.layers):
            x = F.linear(x, weight, bias)
            if i + 1 < len(self.layers):
                x = F.dropout(torch.relu(x), self.s["dropout"], training)
        return logit + x[:, 0]


class TableOptimizer:
    """Updates touched rows alone, in place; the columns but the last are one table's rows."""

    def __init__(self, table, s):
        self.table, self.s = table, s
        self.first = torch.zeros_like(table)
        self.second = torch.zeros_like(table)
        self.steps = 0

    def square(self, g):
        square = g * g
        if self.s["sparse_kind"].startswith("rowwise"):
            square[:, :-1] = square[:, :-1].mean(1, keepdim=True)
        return square

    @torch.no_grad()
    def step(self, ids, factor):
        s, rows = self.s, torch.unique(ids)
        rows = rows[rows < len(self.table) - 1]
        self.steps += 1
        w = self.table[rows]
        g = self.table.grad[rows] + s["sparse_weight_decay"] * w
        lr = s["sparse_lr"] * factor
        if s["sparse_kind"] == "sgd":
            self.table[rows] = w - lr * g
        elif s["sparse_kind"].endswith("adagrad"):
            second = self.second[rows] + self.square(g)
            self.second[rows] = second
            self.table[rows] = w - lr * g / (second.sqrt() + s["eps"])
        else:
            first = 0.9 * self.first[rows] + 0.1 * g
            second = 0.999 * self.second[rows] + 0.001 * self.square(g)
            self.first[rows], self.second[rows] = first, second
            m = first / (1 - 0.9**self.steps)
            v = second / (1 - 0.999**self.steps)
            self.table[rows] = w - lr * m / (v.sqrt() + s["eps"])
        self.table.grad.zero_()


def dense_optimizer(parameters, s):
    decay = s["dense_weight_decay"]
    if s["dense_kind"] == "adam":
        return torch.optim.Adam(parameters, s["dense_lr"], eps=s["eps"], weight_decay=decay)
    if s["dense_kind"] == "adagrad":
        return torch.optim.Adagrad(parameters, s["dense_lr"], eps=s["eps"], weight_decay=decay)
    return torch.optim.SGD(parameters, s["dense_lr"], weight_decay=decay)


def schedule_factor(s, step, num_steps):
    if step < s["warmup_steps"]:
        return (step + 1) / s["warmup_steps"]
    if s["schedule"] == "constant":
        return 1.0
    done = (step - s["warmup_steps"]) / (num_steps - s["warmup_steps"])
    return s["end_ratio"] + (1 - s["end_ratio"]) * (1 + math.cos(math.pi * done)) / 2


# Training.


def auc(scores, labels):
    """Share of pairs in order; ties count half."""
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    positives = int(labels.sum())
    pairs = positives * (len(labels) - positives)
    return float((rank[labels == 1].sum() - positives * (positives + 1) / 2) / pairs)


@torch.no_grad()
def metrics(model, ids, labels):
    logits = model.logit(ids, False)
    loss = F.binary_cross_entropy_with_logits(logits.double(), labels.double()).item()
    return auc(logits.numpy(), labels.numpy()), loss


def train(data, s, seed):
    labels, ids, part, rows = data
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)  # dropout
    model = DeepFm(rows, s, generator)
    sparse = TableOptimizer(model.table, s)
    dense = dense_optimizer(model.dense_parameters(), s)
    train_ids, train_labels = ids[part == 0], labels[part == 0]
    num_steps = s["epochs"] * math.ceil(len(train_ids) / s["batch"])
    curve, step = [], 0
    for _ in range(s["epochs"]):
        order = torch.randperm(len(train_ids), generator=generator)
        for chosen in order.split(s["batch"]):
            factor = schedule_factor(s, step, num_steps)
            batch = train_ids[chosen]
            logits = model.logit(batch, True)
            loss = F.binary_cross_entropy_with_logits(logits, train_labels[chosen])
            dense.zero_grad()
            loss.backward()
            for group in dense.param_groups:
                group["lr"] = s["dense_lr"] * factor
            dense.step()
            sparse.step(batch, factor)
            step += 1
        curve.append(metrics(model, ids[part == 1], labels[part == 1])
                     + metrics(model, ids[part == 2], labels[part == 2]))
    return curve


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    parser.add_argument("prefix")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--split-seeds", type=int, default=1, help="42, 43, ...")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--curve", action="store_true", help="AUC of every epoch")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    settings = dict(SETTINGS)
    for word in arguments.set:
        key, value = word.split("=", 1)
        if key not in settings:
            sys.exit(f'bad_input: no setting "{key}"; there are {", ".join(settings)}')
        settings[key] = type(settings[key])(value)
    labels, columns = read_data(arguments.prefix)
    last = []
    for split_seed in range(42, 42 + arguments.split_seeds):
        data = prepare(labels, columns, split_seed)
        for seed in range(1, 1 + arguments.seeds):
            start = time.perf_counter()
            curve = train(data, settings, seed)
            valid_auc, _, test_auc, test_loss = curve[-1]
            best = max(curve)
            out = {"split_seed": split_seed, "seed": seed, "test_auc": round(test_auc, 5),
                   "test_log_loss": round(test_loss, 5), "valid_auc": round(valid_auc, 5),
                   "test_auc_at_best_valid": round(best[2], 5),
                   "best_epoch": curve.index(best) + 1,
                   "seconds": round(time.perf_counter() - start, 2)}
            if arguments.curve:
                out["curve"] = [round(c[2], 4) for c in curve]
            print(json.dumps(out), flush=True)
            last.append(test_auc)
    print(json.dumps({"runs": len(last), "mean_test_auc": round(float(np.mean(last)), 5),
                      "min_test_auc": round(min(last), 5), "settings": settings}))


if __name__ == "__main__":
    main()
