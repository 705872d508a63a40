import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Setup, setup } from '../setup.ts'

/** A project with these files in it, as another program would have left them. */
export async function projectWith(files: Readonly<Record<string, string>>): Promise<Setup> {
  const project = await setup()
  for (const [path, text] of Object.entries(files)) write(project, path, text)
  return project
}

export function write({ directory }: Pick<Setup, 'directory'>, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}
