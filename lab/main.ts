// Plays a story with real hosts against a stand-in for their model services, and prints what Waymark and the models saw.
import { parseArgs } from 'node:util'
import type { LabHost } from './host.ts'
import { HOSTS } from './hosts.ts'
import { installHost } from './install-host.ts'
import { play } from './play.ts'
import { writeReport } from './report.ts'
import { emptyRow, type Row } from './row.ts'
import { toTables } from './table.ts'

const HELP = `Usage: npm run hosts -- [options]

  --only <ids>      some of the hosts: ${HOSTS.map(({ id }) => id).join(',')}
  --json            print JSON
  --report <file>   write the page, such as docs/hosts.md; with --only, the rows of the other hosts stay
  --record <folder> write what the hosts sent, as fixtures of tests: packages/waymark/test/hook/recorded
  --keep            keep the scratch folders, with everything that was recorded`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    report: { type: 'string' },
    record: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  const rows: Row[] = []
  for (const host of chosen(values.only)) {
    console.error(`${host.title} …`)
    const row = await tryHost(host)
    if (row.folder !== undefined) console.error(`  recorded in ${row.folder}`)
    const { folder: _folder, ...lasting } = row
    rows.push(lasting)
  }
  console.log(values.json ? JSON.stringify(rows, null, 2) : toTables(rows))
  if (values.report !== undefined) writeReport(values.report, rows)
}

function chosen(only: string | undefined): readonly LabHost[] {
  if (only === undefined) return HOSTS
  return only.split(',').map((id) => {
    const host = HOSTS.find((each) => each.id === id)
    if (host === undefined) throw new Error(`--only: no host is called ${id}; see --help`)
    return host
  })
}

async function tryHost(host: LabHost): Promise<Row> {
  const installed = installHost(host)
  if (installed.kind === 'failed') return emptyRow(host, `cannot be installed: ${installed.reason}`)
  const { keep, record } = values
  try {
    const row = await play(host, installed.bin, { keep, isByHand: false, record })
    if (row.handshake !== undefined || host.byHand === undefined) return row
    const byHand = await play(host, installed.bin, { keep, isByHand: true, record })
    return { ...byHand, uninstall: row.uninstall }
  } catch (error) {
    return emptyRow(host, `could not be played: ${String(error)}`)
  }
}
