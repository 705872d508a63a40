// Stores and reads a content of 60 MB, and prints how many bytes were held at most, garbage aside.
import { createContentStore } from '@waymark/cas'

const PIECE = 1_000_000
const store = createContentStore({ folder: process.argv[2] ?? '' })
let held = 0

function look(): void {
  globalThis.gc?.()
  held = Math.max(held, process.memoryUsage().arrayBuffers)
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 60; count += 1) {
    yield Buffer.alloc(PIECE, count)
    if (count % 10 === 9) look()
  }
}

const { signal } = new AbortController()
const { hash, size } = await store.put(pieces(), { signal })
let read = 0
for await (const chunk of (await store.get(hash)).bytes) {
  if (Math.floor(read / PIECE / 10) < Math.floor((read + chunk.length) / PIECE / 10)) look()
  read += chunk.length
}
if (read !== size) throw new Error(`${read} of ${size} bytes were read`)
console.log(held)
