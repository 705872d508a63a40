// Stores contents in a process of its own, so that tests can have many of them, and kill them.
import { createContentStore } from '@waymark/cas'

const [folder = '', own] = process.argv.slice(2)
const store = createContentStore({ folder })

if (own === undefined) {
  await store.put(process.stdin)
} else {
  for (let count = 0; count < 10; count += 1) {
    await store.put(Buffer.from(`shared ${count}`))
    await store.put(Buffer.alloc(50_000, `${own} ${count} `))
  }
}
