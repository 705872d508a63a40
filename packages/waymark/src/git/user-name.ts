import { runGit } from './run.ts'

const LONGEST_NAME = 100

/** The name git would write into a commit here, or null when git has none or is not installed. */
export async function readUserName(cwd: string): Promise<string | null> {
  try {
    const { exitCode, stdout } = await runGit(['config', '--get', 'user.name'], { cwd })
    const name = stdout.trim().slice(0, LONGEST_NAME)
    return exitCode === 0 && name !== '' ? name : null
  } catch {
    return null
  }
}
