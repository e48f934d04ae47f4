# SPDX-License-Identifier: Apache-2.0
# N12: fast-math flags as Python packages write them.
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

nvcc = ["-O3", "--use_fast_math"]  # expect: N12 S0
nvcc += ["-Xcompiler", "-Ofast"]  # expect: N12 S0
setup(name="probe", ext_modules=[CUDAExtension("probe", ["probe.cu"], extra_compile_args={"nvcc": nvcc})])
