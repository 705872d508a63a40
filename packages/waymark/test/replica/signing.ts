import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import type { Team } from './clones.ts'

/** Whether this machine can sign: ssh-keygen comes with OpenSSH, and with Git for Windows. */
export function canSign(): boolean {
  try {
    execFileSync('ssh-keygen', ['-?'], { stdio: 'pipe' })
    return true
  } catch (error) {
    // It has no such option, and says so.
    return (error as { code?: unknown }).code !== 'ENOENT'
  }
}

export interface Signer {
  readonly name: string
  /** The private key. */
  readonly key: string
}

/** A key of its own for a person of this name. */
export function createSigner({ remote }: Team, name: string): Signer {
  const key = join(dirname(remote), `${name}.key`)
  const options = ['-q', '-t', 'ed25519', '-N', '', '-C', name]
  execFileSync('ssh-keygen', [...options, '-f', key], { stdio: 'pipe' })
  return { name, key }
}

export interface OwnSettings {
  readonly signer?: Signer
  readonly trusted?: readonly Signer[]
  readonly unsigned?: 'accept' | 'quarantine'
}

/** From here on git runs with the settings of this person, whichever clone it runs in. */
export function useSettings(
  { remote }: Team,
  { signer, trusted = [], unsigned }: OwnSettings,
): void {
  const folder = dirname(remote)
  const [file, signers] = [join(folder, 'own.gitconfig'), join(folder, 'signers')]
  writeFileSync(file, '')
  const set = (key: string, value: string): void => {
    execFileSync('git', ['config', '--file', file, key, value], { stdio: 'pipe' })
  }
  set('gpg.format', 'ssh')
  if (signer !== undefined) {
    set('user.signingKey', signer.key)
    set('waymark.sync.sign', 'true')
  }
  if (unsigned !== undefined) set('waymark.sync.unsigned', unsigned)
  writeFileSync(signers, '')
  if (trusted.length > 0) set('gpg.ssh.allowedSignersFile', signers)
  for (const { name, key } of trusted) {
    appendFileSync(signers, `${name} ${readFileSync(`${key}.pub`, 'utf8')}`)
  }
  vi.stubEnv('GIT_CONFIG_GLOBAL', file)
}
