// Plays two agents that do a small project together, and says what happens. `npm run example:two-agents`
import { createRepository } from '../../setup.ts'
import { play } from './play.ts'

await using repository = createRepository()
const { work, late, completed } = await play(repository.directory, (line) => console.log(line))
console.log(`work done, in this order: ${work.join(', ')}`)
console.log(`completed once each: ${new Set(completed).size === completed.length}`)
console.log(`the claim of the one who was killed, used once more: ${late}`)
