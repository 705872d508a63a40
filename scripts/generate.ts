// Writes every file that is made from definitions. `--check` only compares.
import { put } from './generated-file.ts'
import { nounsModule, registryModule } from './registry.ts'

put('packages/waymark/src/nouns.generated.ts', await nounsModule())
put('packages/waymark/src/registry.generated.ts', await registryModule())
// Imported late, because it loads everything that the registry lists.
await import('./generate-reference.ts')
