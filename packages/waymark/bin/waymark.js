#!/usr/bin/env node
import module from 'node:module'

// Present from Node 22 on; keeps compiled code between runs.
module.enableCompileCache?.()
await import('../dist/bin/waymark.js')
