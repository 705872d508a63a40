// Stores what fits and what does not, and prints what came of it and how many files there are then.
import { readdirSync } from 'node:fs'
import { createContentStore } from '@waymark/cas'

const folder = process.argv[2] ?? ''
const store = createContentStore({ folder })
const { hash } = await store.put(Buffer.alloc(500_000, 1))
const code = await store.put(Buffer.alloc(5_000_000, 2)).then(
  () => 'stored',
  (error: { readonly code?: string }) => error.code,
)
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => name)
console.log(JSON.stringify({ code, state: await store.verify(hash), files: files.length }))
