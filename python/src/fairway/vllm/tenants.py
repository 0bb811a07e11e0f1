# SPDX-License-Identifier: Apache-2.0
"""Whose a request is: a number, from a name that the request carries.

A name becomes a number by a digest, so it has the same one in every process and
no table of names is kept, however many a client makes up.
"""

import hashlib

#: Where a request carries the name of its tenant.
SOURCES = {
    "cache_salt": lambda r: r.cache_salt,
    "lora": lambda r: r.lora_request and r.lora_request.lora_name,
    # vllm_xargs of the API: a proxy that knows the user may set it.
    "xargs": lambda r: _extra(r).get("tenant"),
}


def _extra(request):
    params = request.sampling_params
    return params.extra_args or {} if params is not None else {}


def number_of(name):
    """Of the tenant with this name; those without a name are one tenant, 0."""
    if not name:
        return 0
    digest = hashlib.blake2b(str(name).encode(errors="replace"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def tenant_of(source):
    """A function that gives the number of a request's tenant.

    It is that of the first call: a session may bring other parameters, and an
    order knows a request by one tenant.
    """
    name = SOURCES[source]

    def tenant(request):
        number = getattr(request, "fairway_tenant", None)
        if number is None:
            number = request.fairway_tenant = number_of(name(request))
        return number

    return tenant
