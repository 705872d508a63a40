// Appends numbered events to a stream and prints each event id once the store has acknowledged it.
import { openSqliteSessionStore } from '@waymark/baton/node'

const [path = '', sessionId = '', streamId = '', label = '', count = 'Infinity'] =
  process.argv.slice(2)

const limits = { eventsPerStream: 1_000_000, bytesPerStream: 1_000_000_000 }
await using store = await openSqliteSessionStore({ path, limits })
process.stdout.write('open\n')

for (let number = 0; number < Number(count); number += 1) {
  const eventId = await store.events.append(sessionId, streamId, `${label} ${number}`)
  process.stdout.write(`${eventId}\n`)
}
