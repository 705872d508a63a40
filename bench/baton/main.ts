// Benchmark of baton against the official SDKs and a bare JSON-RPC loop, as Markdown on standard output.
// --rounds N · --only REGEX, such as 'calls stdio baton' or 'cold' · --quick · --build FOLDER (repeatable)
import { parseOptions } from './options.ts'
import { toReport } from './report.ts'
import { run } from './run.ts'

process.stdout.write(toReport(await run(parseOptions(process.argv.slice(2)))))
