# SPDX-License-Identifier: Apache-2.0
"""vLLM's real scheduler object without an engine, for tests and benchmarks.

Needs vLLM, and in $FWV/tiny the configuration of a small model.
"""

import functools
import os

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

import fairway.vllm
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
from vllm.v1.request import Request, RequestStatus
from vllm.v1.structured_output import StructuredOutputManager

BLOCK = 16
MAX_LEN = 32768

init_none_hash(sha256)
hasher = get_request_block_hasher(BLOCK, sha256)


def make_scheduler(form, num_blocks, fairway=None, policy="fcfs", budget=2048,
                   max_seqs=256, eagle=False, is_async=False):
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
                       kv_cache_groups=[KVCacheGroupSpec(
                           ["layer"], spec, is_eagle_group=eagle)])
    cache.num_gpu_blocks = num_blocks
    # VllmConfig turns it off for a CPU, which the scheduler never sees.
    scheduling.async_scheduling = is_async
    return form(vllm_config=config, kv_cache_config=kv, block_size=BLOCK,
                log_stats=False,
                structured_output_manager=StructuredOutputManager(config))


@functools.cache
def made(num_blocks, budget, max_seqs, eagle, is_async, settings):
    return make_scheduler(
        fairway.vllm.Scheduler, num_blocks, dict(settings), budget=budget,
        max_seqs=max_seqs, eagle=eagle, is_async=is_async)


def scheduler_of(num_blocks, budget, max_seqs, eagle=False, is_async=False,
                 **settings):
    """Fairway's, with an empty queue and an empty cache.

    Making one takes a second, so histories share them.
    """
    s = made(num_blocks, budget, max_seqs, eagle, is_async,
             tuple(settings.items()))
    s.finish_requests(list(s.requests), RequestStatus.FINISHED_ABORTED)
    s.update_from_output(out := s.schedule(), outputs(s, out))
    assert s.reset_prefix_cache() and not s.waiting
    return s


def make_request(name, tokens, arrival, max_tokens=1, priority=0, xargs=None,
                 prompt_logprobs=None, **given):
    params = SamplingParams(max_tokens=max_tokens, ignore_eos=True,
                            extra_args=xargs, prompt_logprobs=prompt_logprobs)
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
