#!/bin/sh
# Runs workerd with its output in a file. Miniflare reads that output from a pipe in the process that a synchronous call of a binding
# stops, so a full pipe would stop both for ever.
exec "$REAL_WORKERD" "$@" >>"$WORKERD_LOG" 2>&1
