import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { showBrief } from '../../../src/brief/operations.ts'
import { execute } from '../../../src/core/execute.ts'
import { watchTurns } from '../../event-loop.ts'
import { type CodeSetup, setupCode } from './code-setup.ts'

const NOTES = 'refs/notes/waymark'
const COMMITTER = 'committer Test <test@example.com> 1700000000 +0000\n'
const COMMITS = 150
/** On each commit: too many to copy while a brief is made. */
const RECORDS = 160
const MOST_BRIEFS = 20

/** A slice ends with the note during which its time is over; the clock of the processor has steps of 10 ms. */
const LONGEST_TURN_MS = 150

/** A clone of a project with many annotations, none of which is copied yet. */
async function cloned(): Promise<CodeSetup> {
  const test = await setupCode()
  const stream: string[] = []
  for (let at = 1; at <= COMMITS; at += 1) {
    stream.push(
      `commit refs/heads/main\nmark :${at}\n${COMMITTER}data 1\nx\n`,
      `M 100644 inline file${at}.ts\n${toData('export const x = 1\n')}`,
    )
  }
  stream.push(`commit ${NOTES}\n${COMMITTER}data 1\nx\n`)
  for (let at = 1; at <= COMMITS; at += 1) stream.push(`N inline :${at}\n${toData(toNote(at))}`)
  const input = stream.join('')
  execFileSync('git', ['-C', test.directory, 'fast-import', '--quiet', '--force'], { input })
  return test
}

function toNote(commit: number): string {
  const records = Array.from({ length: RECORDS }, (_, at) => {
    const intent = `the parser of module ${commit} wants its tokens in order ${at}`
    const regions = [{ file: `file${commit}.ts`, lines: { start: 1, end: 1 }, intent }]
    return JSON.stringify({ $schema: 'ultragit/v1', id: `${commit}-${at}`, summary: 's', regions })
  })
  return records.join('\n')
}

function toData(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

it('a brief does not wait for all notes of a clone, and each goes on with the copy [brief-many-notes]', async () => {
  await using test = await cloned()
  let copied = 0
  for (let briefs = 0; copied === 0 && briefs < MOST_BRIEFS; briefs += 1) {
    const { code, next } = await execute(test.context, showBrief, { paths: ['file1.ts'] })
    expect({ code, next }).toMatchObject({ code: [], next: expect.any(String) })
    copied = (await test.context.store.annotations.blobsOf(NOTES)).size
  }
  expect(copied).toBeGreaterThan(0)
  expect(copied).toBeLessThan(COMMITS)
})

it('the event loop goes on while notes are copied [notes-in-slices]', async () => {
  await using test = await cloned()
  const { longestMs } = await watchTurns(execute(test.context, showBrief, { paths: ['file1.ts'] }))
  expect(longestMs).toBeLessThan(LONGEST_TURN_MS)
})
