"""Further dialects, as common frameworks, meshes and exporters write them, and two that were made at home.

They are not among those that a variant picks by itself: ``--dialects`` names them. All are ``tune``.
"""

from __future__ import annotations

from bench.metrics.dialects import Dialect, Errors, Labels, Latency, Saturation, Traffic

ALDER = Dialect(  # Spring Boot, Micrometer without buckets: sum, count and max, the outcome on each
    "alder",
    Labels("application", "uri", "kubernetes_pod_name", "version", "region"),
    Latency("mean", "http_server_requests_seconds", 1, peak="http_server_requests_seconds_max"),
    Traffic(),
    Errors(
        "label",
        label="outcome",
        good=("SUCCESS", "REDIRECTION"),
        client=("CLIENT_ERROR",),
        bad=("SERVER_ERROR",),
        timed=True,
    ),
    Saturation("tomcat_threads_busy_threads", "tomcat_threads_config_max_threads", capacity=200),
    "template",
    scraped=True,
    beside=(("method", "GET"), ("namespace", "alder-prod")),
)
BASALT = Dialect(  # ASP.NET Core, OpenTelemetry pushed: the service is only in job, after its namespace
    "basalt",
    Labels("job", "http_route", "instance", "service_version", "cloud_region", spelled="basalt/{}"),
    Latency("histogram", "http_server_request_duration_seconds", 1),
    Traffic(),
    Errors("label", label="http_response_status_code", good=("200",), client=("404",), bad=("500",), timed=True),
    Saturation("k8s_container_cpu_limit_utilization_ratio"),
    "route",
    build="target_info",
    beside=(
        ("http_request_method", "GET"),
        ("url_scheme", "https"),
        ("network_protocol_version", "2"),
        ("otel_scope_name", "Microsoft.AspNetCore.Hosting"),
    ),
)
COBALT = Dialect(  # Go, gRPC interceptors: the service is only in job, grpc_service is something else
    "cobalt",
    Labels("job", "grpc_method", "pod", "version", "zone"),
    Latency("histogram", "grpc_server_handling_seconds", 1),
    Traffic("grpc_server_handled_total"),
    Errors("label", label="grpc_code", good=("OK",), client=("NotFound",), bad=("Internal", "Unavailable"), lazy=True),
    Saturation("go_sql_in_use_connections", "go_sql_max_open_connections", capacity=50),
    "method",
    build="cobalt_build_info",
    scraped=True,
    versioned=False,
    beside=(("grpc_service", "cobalt.shop.v1.Shop"), ("grpc_type", "unary")),
)
DRUMLIN = Dialect(  # Istio: hosts for services; how full a container is comes from the kubelet, with other labels
    "drumlin",
    Labels(
        "destination_service",
        "request_operation",
        "pod",
        "destination_version",
        "destination_cluster",
        spelled="{}.shop.svc.cluster.local",
    ),
    Latency("histogram", "istio_request_duration_milliseconds", 1e3),
    Traffic("istio_requests_total"),
    Errors("label", label="response_code", good=("200",), client=("404",), bad=("503",), timed=True),
    Saturation(
        "container_memory_working_set_bytes",
        "container_spec_memory_limit_bytes",
        capacity=512 * 2**20,
        service="container",
    ),
    "verb",
    scraped=True,
    beside=(
        ("reporter", "destination"),
        ("request_protocol", "http"),
        ("connection_security_policy", "mutual_tls"),
        ("source_workload", "istio-ingressgateway"),
    ),
)
ESPARTO = Dialect(  # Spanish, made at home: a mean from two counters of different names, failures by class
    "esparto",
    Labels("servicio", "ruta", "maquina", "entrega", "sede"),
    Latency("mean", "esparto_peticiones", 1e3, parts=("_tiempo_ms_total", "_total")),
    Traffic(),
    Errors("counter", "esparto_fallos_total", label="clase", client=("4xx",), bad=("5xx",)),
    Saturation("esparto_hilos_ocupados", "esparto_hilos_maximo", capacity=64),
    "spanish",
)
FRESNEL = Dialect(  # ingress-nginx, scraped without honor_labels: the pod is the proxy's, the service a Kubernetes one
    "fresnel",
    Labels("exported_service", "path", "controller_pod", "canary", "zone", spelled="{}-svc"),
    Latency("histogram", "nginx_ingress_controller_request_duration_seconds", 1),
    Traffic("nginx_ingress_controller_requests"),
    Errors("label", label="status", good=("200",), client=("404",), bad=("502",), timed=True),
    Saturation("pod_cpu_utilization", scale=100),
    "path",
    scraped=True,
    versioned=False,
    beside=(
        ("controller_class", "k8s.io/ingress-nginx"),
        ("exported_namespace", "shop"),
        ("host", "shop.fresnel.example"),
        ("ingress", "shop-public"),
        ("method", "GET"),
    ),
)
GARNET = Dialect(  # Celery exporter: the service is the queue, failures have an exception, success its own counter
    "garnet",
    Labels("queue_name", "name", "hostname", "release", "datacenter"),
    Latency("histogram", "celery_task_runtime_seconds", 1),
    Traffic("celery_task_received_total"),
    Errors(
        "counter",
        "celery_task_failed_total",
        label="exception",
        bad=("TimeoutError", "OperationalError"),
        lazy=True,
        fine="celery_task_succeeded_total",
    ),
    Saturation("celery_worker_tasks_active", "celery_worker_concurrency", capacity=16),
    "module",
    build="garnet_worker_info",
    scraped=True,
    versioned=False,
)
HATCH = Dialect(  # only recording rules, abbreviated: the mean in ms, requests and failures counted by the minute
    "hatch",
    Labels("ms", "ep", "hst", "rel", "rgn"),
    Latency("average", "ep:rt_ms:avg1m", 1e3),
    Traffic("ep:rq:cnt1m", gauge=True, per_s=60),
    Errors("pace", "ep:err:cnt1m", scale=60),
    Saturation("hst:cpu:pct", scale=100),
    "path",
)
FURTHER = (ALDER, BASALT, COBALT, DRUMLIN, ESPARTO, FRESNEL, GARNET, HATCH)
