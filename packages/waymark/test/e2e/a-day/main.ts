// Plays a day of a planner, three agents and a person, and shows what each of them sees. `npm run example:a-day`
import { createRepository } from '../../setup.ts'
import { play } from './play.ts'

await using repository = createRepository()
await play(repository.directory, (line) => console.log(line))
