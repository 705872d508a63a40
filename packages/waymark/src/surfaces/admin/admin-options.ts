import type { Command } from 'commander'
import { SERVER_SETTINGS } from '../../core/project/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `waymark admin`: for the operator of a team server, who may connect to its database. */
export function addAdmin(program: Command, terminal: Terminal): void {
  const group = program
    .command('admin')
    .description('Prepare and look after the PostgreSQL database of a team server')
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--database <url>', `${SERVER_SETTINGS.database.env[0]} when absent`)
  add('init', 'Prepare the database and create projects in it; safe to repeat')
    .argument('[projects...]', 'names of the projects')
    .action(async (names: string[], _options, command: Command) => {
      const { initDatabase } = await import('./admin-command.ts')
      await initDatabase(names, command.optsWithGlobals(), terminal)
    })
  add('migrate', 'Bring the tables of all projects to the schema of this version').action(
    async (_options, command: Command) => {
      const { migrateDatabase } = await import('./admin-command.ts')
      await migrateDatabase(command.optsWithGlobals(), terminal)
    },
  )
  add('status', 'Show the projects of the database and whether they need `admin migrate`').action(
    async (_options, command: Command) => {
      const { showDatabase } = await import('./admin-command.ts')
      await showDatabase(command.optsWithGlobals(), terminal)
    },
  )
}
