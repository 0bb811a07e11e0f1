# SPDX-License-Identifier: Apache-2.0
"""Configurations in the place of the models that vLLM's tests name.

`vllm_models.py FOLDER` writes them there, with a redirect.json for
VLLM_MODEL_REDIRECT_PATH. The tests of the scheduler load no weights, and take
from a model only its shape. FOLDER/tiny is a model small enough to run.
"""

import json
import sys
from pathlib import Path

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "torch_dtype": "float16",
    "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-5,
    "vocab_size": 32064,
}
SHAPES = {
    "facebook/opt-125m": {
        "architectures": ["OPTForCausalLM"],
        "model_type": "opt",
        "torch_dtype": "float16",
        "hidden_size": 768,
        "word_embed_proj_dim": 768,
        "ffn_dim": 3072,
        "num_attention_heads": 12,
        "num_hidden_layers": 12,
        "vocab_size": 50272,
        "max_position_embeddings": 2048,
    },
    "facebook/opt-350m": {
        "architectures": ["OPTForCausalLM"],
        "model_type": "opt",
        "torch_dtype": "float16",
        "hidden_size": 1024,
        "word_embed_proj_dim": 512,
        "ffn_dim": 4096,
        "num_attention_heads": 16,
        "num_hidden_layers": 24,
        "vocab_size": 50272,
        "max_position_embeddings": 2048,
        "do_layer_norm_before": False,
    },
    "llava-hf/llava-1.5-7b-hf": {
        "architectures": ["LlavaForConditionalGeneration"],
        "model_type": "llava",
        "torch_dtype": "float16",
        "image_token_index": 32000,
        "image_seq_length": 576,
        "vision_feature_layer": -2,
        "vision_feature_select_strategy": "default",
        "text_config": LLAMA,
        "vision_config": {
            "model_type": "clip_vision_model",
            "hidden_size": 1024,
            "intermediate_size": 4096,
            "image_size": 336,
            "patch_size": 14,
            "projection_dim": 768,
            "num_attention_heads": 16,
            "num_hidden_layers": 24,
            "vocab_size": 32000,
        },
    },
    "tiny": LLAMA | {
        "vocab_size": 32000,
        "max_position_embeddings": 131072,
        "rope_theta": 500000.0,
        "hidden_size": 128,
        "intermediate_size": 256,
        "head_dim": 64,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "num_hidden_layers": 2,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
}


SPECIAL = ["<unk>", "<s>", "</s>", "<image>", "<pad>"]
#: Number of the first special token behind the vocabulary.
FIRST_ADDED = 32000
#: What the processor of images and text asks for beside the shape.
PROCESSOR = {
    "tokenizer_config.json": {
        "tokenizer_class": "LlamaTokenizerFast",
        "processor_class": "LlavaProcessor",
        "model_max_length": 4096,
        "unk_token": "<unk>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "image_token": "<image>",
        "pad_token": "<pad>",
    },
    "processor_config.json": {
        "processor_class": "LlavaProcessor",
        "image_token": "<image>",
        "patch_size": 14,
        "num_additional_image_tokens": 1,
        "vision_feature_select_strategy": "default",
    },
    "preprocessor_config.json": {
        "image_processor_type": "CLIPImageProcessor",
        "processor_class": "LlavaProcessor",
        "size": {"shortest_edge": 336},
        "crop_size": {"height": 336, "width": 336},
        "rescale_factor": 1 / 255,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "resample": 3,
    },
}


def write_tokenizer(path):
    """One token for each byte, others by number, and the special ones."""
    from tokenizers import AddedToken, Tokenizer, decoders, models
    from tokenizers.pre_tokenizers import ByteLevel

    names = SPECIAL[:3] + sorted(ByteLevel.alphabet())
    names += [f"word{i}" for i in range(FIRST_ADDED - len(names))]
    names += SPECIAL[3:]
    tokenizer = Tokenizer(models.BPE({n: i for i, n in enumerate(names)}, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(n, special=True, normalized=False) for n in SPECIAL])
    tokenizer.save(str(path))


def write_processor(folder):
    write_tokenizer(folder / "tokenizer.json")
    for name, text in PROCESSOR.items():
        (folder / name).write_text(json.dumps(text))


def main(top):
    redirect = {}
    for name, shape in SHAPES.items():
        folder = top / name.split("/")[-1]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(shape))
        redirect[name] = str(folder)
    write_processor(Path(redirect["llava-hf/llava-1.5-7b-hf"]))
    (top / "redirect.json").write_text(json.dumps(redirect))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
