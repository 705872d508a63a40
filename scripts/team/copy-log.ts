import { chownSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Adds the write-ahead log to a base backup, so that it starts as a server of its own and not as a standby. */
export function copyLog(from: string, to: string): void {
  const [source, target] = [join(from, 'data', 'pg_wal'), join(to, 'data', 'pg_wal')]
  const { uid, gid } = statSync(join(to, 'data'))
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(source)) {
    if (!/^[0-9A-F]{24}$/.test(name)) continue
    copyFileSync(join(source, name), join(target, name))
    if (process.getuid?.() === 0) chownSync(join(target, name), uid, gid)
  }
  rmSync(join(to, 'data', 'standby.signal'), { force: true })
}
