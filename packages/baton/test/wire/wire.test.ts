import { readdirSync, readFileSync } from 'node:fs'
import { connectInMemory } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'

const folder = new URL('transcripts/', import.meta.url)

// A transcript is what crosses the wire: `>` from the client, `<` from the server, `#` a remark.
test.each(readdirSync(folder))('transcript %s', async (name) => {
  const client = connectInMemory(createSampleServer())
  let read = 0
  for (const line of readFileSync(new URL(name, folder), 'utf8').split('\n')) {
    const text = line.slice(2)
    if (line.startsWith('> ')) {
      client.send(text)
    } else if (line.startsWith('< ')) {
      const at = read++
      await client.next((message) => client.received.indexOf(message) === at)
      expect(client.received[at]).toEqual(JSON.parse(text))
    }
  }
  await client.drained()
  expect(client.received.slice(read)).toEqual([])
})
