// What a stranger does with a team server, step by step, and whether it came out right.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createServerFolder, createStandby, startPostgres } from '../postgres/server.ts'
import { createClone, PROJECT, startReplica, type Trial, waymarkAdmin } from './trial.ts'

type Tell = (text: string) => void

/** Two clones on two "machines" join two replicas; only one may claim a task. */
export async function checkClones(trial: Trial, tell: Tell): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-trial-'))
  try {
    const machines = await Promise.all(
      ['ann', 'bo'].map(async (name, at) => {
        const words = ['token', 'create', name, '--project', PROJECT]
        const { token } = await trial.admin<{ token: string }>(...words)
        const clone = await createClone(join(folder, name))
        const joined = await clone.run(['join', trial.replicas[at]?.url ?? ''], {
          WAYMARK_TOKEN: token,
        })
        tell(`${name}: ${joined.out.trim()}`)
        return clone
      }),
    )
    const [first] = machines
    const claims: string[] = []
    for (const number of ['1', '2', '3']) {
      await first?.run(['task', 'create', `Task ${number}`])
      const answers = await Promise.all(machines.map((each) => each.run(['task', 'claim', number])))
      claims.push(
        answers
          .map(({ exit }) => String(exit))
          .toSorted()
          .join('/'),
      )
    }
    // 0 for the winner, 4 for a conflict.
    if (claims.some((exits) => exits !== '0/4')) throw new Error(`claims ended as ${claims.join()}`)
    tell('three tasks, claimed by both at once: one winner each')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A token of the issuer, whose claim names the role. */
export async function checkIssuer(trial: Trial, tell: Tell): Promise<void> {
  const ask = async (role: string) => {
    const token = await trial.fetchToken('cy', role)
    const answer = await fetch(`${trial.replicas[0]?.url}/projects/${PROJECT}/api/task.create`, {
      method: 'POST',
      body: JSON.stringify({ title: `by a ${role}` }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    return answer.status
  }
  const [reader, agent] = [await ask('reader'), await ask('agent')]
  if (reader !== 403 || agent !== 200)
    throw new Error(`the issuer's roles gave ${reader}, ${agent}`)
  tell('tokens of the issuer: a reader may not create a task, an agent may')
}

/** A copy of the running database, and a server on it with all that was answered. */
export async function checkBackup(trial: Trial, tell: Tell): Promise<void> {
  const folder = createServerFolder()
  const client = new pg.Client(trial.database)
  await client.connect()
  try {
    await client.query(`SELECT pg_backup_start('trial', true)`)
    await createStandby({
      from: trial.folder,
      folder,
      stopBackup: async () => {
        const { rows } = await client.query<{ labelfile: string }>(
          'SELECT labelfile FROM pg_backup_stop(false)',
        )
        return rows[0]?.labelfile ?? ''
      },
    })
    // What was written between the start and the end of the copy is in the log of the server.
    const { copyLog } = await import('./copy-log.ts')
    copyLog(trial.folder, folder)
    const restored = await startPostgres({ folder, isDurable: true })
    const count = async (url: string): Promise<string> => {
      await waymarkAdmin(url, ['migrate'])
      const replica = await startReplica(url)
      const { token } = await waymarkAdmin<{ token: string }>(url, [
        'token',
        'create',
        'check',
        '--project',
        PROJECT,
      ])
      const answer = await fetch(`${replica.url}/api/task.list?all=true`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { tasks } = (await answer.json()) as { tasks: { number: number; status: string }[] }
      await replica.stop()
      return tasks
        .map(({ number, status }) => `${number} ${status}`)
        .toSorted()
        .join(', ')
    }
    const [before, after] = [await count(trial.database), await count(restored.url)]
    await restored.stop()
    if (before !== after) throw new Error(`restored: ${after}; was: ${before}`)
    tell(`restored from a backup of the running database: ${after}`)
  } finally {
    await client.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
