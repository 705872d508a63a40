import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../hosts/host.ts'
import { displayPath, homeOf, type Machine, toPath } from './machine.ts'
import { findOnPath } from './program.ts'

/** The first sign that a host is in use: in the project, in the home, or as a command. */
export function findSign(
  host: Host,
  machine: Machine,
  root: string | undefined,
): string | undefined {
  const { project = [], global = [], commands = [] } = host.signs
  if (root !== undefined) {
    const sign = project.find((path) => existsSync(join(root, path)))
    if (sign !== undefined) return sign
  }
  const folder = (homeOf(machine) === undefined ? [] : global)
    .map((template) => toPath(machine, template))
    .find((path) => existsSync(path))
  if (folder !== undefined) return displayPath(machine, folder)
  const command = commands.find((name) => findOnPath(machine, name) !== undefined)
  return command === undefined ? undefined : `\`${command}\``
}
