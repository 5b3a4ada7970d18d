#!/bin/sh
# A Sluice worker in curl and shell: it claims tasks of one type, runs a command on each input, and settles. Needs curl and jq.
#
#   SLUICE_URL=http://127.0.0.1:8400 ./worker.sh word_count wc -w
#
# The input of the task is the standard input of the command, and what it prints is the output. A command that fails is tried again.
# SLUICE_TOKEN is the token of the server, if it has one. SLUICE_TASKS ends it after so many tasks.
set -eu

type=$1
shift
url=${SLUICE_URL:-http://127.0.0.1:8400}
worker="shell-$(hostname)-$$"
left=${SLUICE_TASKS:--1}

# The token goes through a file of curl's own, because arguments are visible to everybody on the machine.
config=$(mktemp)
trap 'rm -f "$config"' EXIT
if [ -n "${SLUICE_TOKEN:-}" ]; then echo "header = \"Authorization: Bearer $SLUICE_TOKEN\"" >"$config"; fi

post() {
  curl --silent --show-error --fail-with-body --config "$config" -H "Content-Type: application/json" --data-binary @- "$url/api/v1/$1"
}

# Which types it serves; they pass no limits. Said again with every round, as every 30 seconds is often enough.
hello() {
  jq -n --arg w "$worker" --arg t "$type" '{worker_id: $w, task_types: [$t]}' | post hello >/dev/null
}

while [ "$left" -ne 0 ]; do
  hello
  answer=$(jq -n --arg w "$worker" --arg t "$type" '{worker_id: $w, lease: "60s", claim: {task_types: [$t]}, wait: "20s"}' | post exchange)
  task=$(printf '%s' "$answer" | jq -c '.claimed[0] // empty')
  if [ -z "$task" ]; then continue; fi

  status=0
  output=$(printf '%s' "$task" | jq -r '.input | if type == "string" then . else tojson end' | "$@" 2>&1) || status=$?
  printf '%s' "$task" | jq -c --arg w "$worker" --arg o "$output" --argjson s "$status" '{
    worker_id: $w,
    settles: [{id, fence, outcome: (if $s == 0 then {kind: "completed", output: $o} else {kind: "retried", error: "exit code \($s): \($o)"} end)}]
  }' | post exchange | jq -r --argjson t "$task" '"\($t.id) \(.settled[0] | .status // .kind)"'
  left=$((left - 1))
done
