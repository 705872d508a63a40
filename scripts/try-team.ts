// `npm run try:team`: a team server on this machine, for looking at it, or with --check for trying it out.
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkBackup, checkClones, checkIssuer } from './team/check.ts'
import { PROJECT, startTrial } from './team/trial.ts'

const HELP = `Usage: npm run try:team -- [options]

Starts PostgreSQL, an OpenID Connect issuer and two replicas of the team server, without containers, and says how to
join. Nothing is kept when it stops.

  --check   do what the guide says, check what comes out and stop
  --help    show this text
`

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const tell = (text: string): void => void process.stdout.write(`${text}\n`)

if (values.help) tell(HELP.trimEnd())
else {
  const began = performance.now()
  await using trial = await startTrial()
  if (values.check) {
    await checkClones(trial, tell)
    await checkIssuer(trial, tell)
    await checkBackup(trial, tell)
    tell(`all done in ${Math.round((performance.now() - began) / 1000)} seconds`)
  } else {
    const create = async (name: string, ...words: readonly string[]) =>
      (
        await trial.admin<{ token: string }>(
          'token',
          'create',
          name,
          '--project',
          PROJECT,
          ...words,
        )
      ).token
    const [first, second] = trial.replicas
    const program = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
    tell(`Two replicas serve the project ${PROJECT}. In a clone, on this machine:

  alias waymark='node ${program}'     # unless it is installed
  WAYMARK_TOKEN=${await create('ann', '--role', 'owner')} waymark join ${first?.url}
  WAYMARK_TOKEN=${await create('bo')} waymark join ${second?.url}     # in another clone, with another HOME

The issuer is at ${trial.issuer}; the database at
  export WAYMARK_DATABASE_URL='${trial.database}'
Stop with Ctrl+C.`)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  }
}
