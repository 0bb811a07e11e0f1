# SPDX-License-Identifier: Apache-2.0
"""vLLM's real scheduler object without an engine, for tests and benchmarks.

Needs vLLM, and in $FWV/tiny the configuration of a small model.
"""

import os

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

import torch
from vllm.config import (CacheConfig, DeviceConfig, ModelConfig,
                         SchedulerConfig, VllmConfig)
from vllm.sampling_params import SamplingParams
from vllm.utils.hashing import sha256
from vllm.v1.core.kv_cache_utils import (get_request_block_hasher,
                                         init_none_hash)
from vllm.v1.kv_cache_interface import (FullAttentionSpec, KVCacheConfig,
                                        KVCacheGroupSpec)
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.request import Request
from vllm.v1.structured_output import StructuredOutputManager

BLOCK = 16
MAX_LEN = 32768

init_none_hash(sha256)
hasher = get_request_block_hasher(BLOCK, sha256)


def make_scheduler(form, num_blocks, fairway=None, policy="fcfs", budget=2048,
                   max_seqs=256):
    """A scheduler of this class with a cache of num_blocks blocks."""
    model = ModelConfig(model=os.environ["FWV"] + "/tiny", dtype="float32",
                        skip_tokenizer_init=True, max_model_len=MAX_LEN)
    scheduling = SchedulerConfig(
        max_num_seqs=max_seqs, max_num_batched_tokens=budget,
        max_model_len=MAX_LEN, enable_chunked_prefill=True, policy=policy,
        is_encoder_decoder=False, async_scheduling=False)
    cache = CacheConfig(block_size=BLOCK, gpu_memory_utilization=0.9,
                        cache_dtype="auto", enable_prefix_caching=True)
    config = VllmConfig(
        scheduler_config=scheduling, model_config=model, cache_config=cache,
        device_config=DeviceConfig("cpu"),
        additional_config={"fairway": fairway} if fairway is not None else {})
    spec = FullAttentionSpec(block_size=BLOCK, num_kv_heads=1, head_size=1,
                             dtype=torch.float32)
    kv = KVCacheConfig(num_blocks=num_blocks, kv_cache_tensors=[],
                       kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)])
    cache.num_gpu_blocks = num_blocks
    return form(vllm_config=config, kv_cache_config=kv, block_size=BLOCK,
                log_stats=False,
                structured_output_manager=StructuredOutputManager(config))


def make_request(name, tokens, arrival, max_tokens=1, priority=0, xargs=None,
                 **given):
    params = SamplingParams(max_tokens=max_tokens, ignore_eos=True,
                            extra_args=xargs)
    params.update_from_generation_config({}, 2)
    return Request(request_id=str(name), prompt_token_ids=tokens,
                   sampling_params=params, pooling_params=None,
                   block_hasher=hasher, arrival_time=arrival,
                   priority=priority, **given)


def outputs(scheduler, scheduled):
    """What a model would give back: a token for each whole prompt."""
    ids = list(scheduled.num_scheduled_tokens)
    tokens = []
    for name in ids:
        request = scheduler.requests[name]
        whole = request.num_computed_tokens >= request.num_tokens
        tokens.append([7] if whole else [])
    return ModelRunnerOutput(
        req_ids=ids, req_id_to_index={n: i for i, n in enumerate(ids)},
        sampled_token_ids=tokens, logprobs=None, prompt_logprobs_dict={},
        pooler_output=[])


def probe(scheduler, request):
    """vLLM's own look-up of a waiting request's hit."""
    manager = scheduler.kv_cache_manager
    if not manager.prefix_cache_lookup_enabled(request):
        return 0
    if request.num_computed_tokens:
        return request.num_computed_tokens
    return manager.coordinator.find_longest_cache_hit(
        request.block_hashes, request.num_tokens - 1)[1]
