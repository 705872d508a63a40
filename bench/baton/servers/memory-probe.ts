// Loaded into servers whose memory is measured: says on request what is left after a garbage collection.
process.on('message', () => {
  globalThis.gc?.()
  setImmediate(() => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.(heapUsed + external)
  })
})
process.channel?.unref()
