#!/usr/bin/env node
'use strict'
// CommonJS, by the package.json beside it: Node's loader of modules costs a hook a tenth of its time.
const { enableCompileCache } = require('node:module')

// Present from Node 22 on; keeps compiled code between runs.
enableCompileCache?.()
const [, , command, , option] = process.argv
if (command === 'hook' && option === '--host') require('../dist/bin/hook/hook.cjs')
else void import('../dist/bin/waymark.js')
