import { type Command, Option } from 'commander'
import { SERVER_SETTINGS } from '../../core/project/settings.ts'
import { QUOTA_KINDS } from '../../team/quotas.ts'
import { ROLES } from '../../team/roles.ts'
import { addExample } from '../cli/help/help.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { AdminCommand } from './admin-command.ts'

/** `waymark admin`: for the operator of a team server, who may connect to its database. */
export function addAdmin(program: Command, terminal: Terminal): void {
  const admin = program
    .command('admin')
    .description('Prepare and look after the PostgreSQL database of a team server')
  const describe = (command: Command, about: string, example?: string): Command =>
    addExample(command.description(about), example)
  const act = (command: Command, name: AdminCommand): Command =>
    command
      .option('--database <url>', `${SERVER_SETTINGS.database.env[0]} when absent`)
      .action(async (...given: readonly unknown[]) => {
        const { runAdmin } = await import('./admin-command.ts')
        // Behind the arguments come the options and the command.
        const words = given.slice(0, -2).flat().map(String)
        await runAdmin(name, words, command.optsWithGlobals(), terminal)
      })
  const inProject = (command: Command, name: AdminCommand): Command =>
    act(command.requiredOption('--project <name>', 'name or id of the project'), name)

  const inEither = (command: Command, name: AdminCommand): Command =>
    act(
      command
        .option('--project <name>', 'name or id of the project')
        .option('--organisation <name>', 'all projects of an organisation'),
      name,
    )

  const init = admin.command('init').argument('[projects...]', 'names of the projects')
  init.option('--organisation <name>', 'create the projects in this organisation')
  describe(act(init, 'init'), 'Prepare the database and create projects; safe to repeat', 'api web')
  const migrate = act(admin.command('migrate'), 'migrate')
  describe(migrate, 'Bring the tables of all projects to the schema of this version')
  const status = act(admin.command('status'), 'status')
  describe(status, 'Show the projects and whether they need `admin migrate`')
  const grant = act(admin.command('grant').argument('<user>', 'a user of the database'), 'grant')
  describe(grant, 'Let replicas connect as a user that owns no tables', 'waymark_replica')

  const member = admin.command('member')
  describe(member, 'Members of a project, by OAuth subject', 'list --project api')
  const members = inEither(member.command('list'), 'member list')
  describe(members, 'List the members', '--project api')
  const add = inEither(member.command('add').argument('<subject>'), 'member add')
  add.addOption(roleOption())
  describe(add, 'Add a member, or change its role', 'ann@example.com --project api --role agent')
  const remove = inEither(member.command('remove').argument('<subject>'), 'member remove')
  describe(remove, 'Remove a member', 'ann@example.com --project api')

  const organisation = admin.command('organisation')
  describe(organisation, 'Organisations, which own projects and have members', 'list')
  const organisations = act(organisation.command('list'), 'organisation list')
  describe(organisations, 'List the organisations with their projects')
  const found = act(organisation.command('create').argument('<name>'), 'organisation create')
  describe(found, 'Create an organisation; safe to repeat', 'acme')
  const move = inProject(organisation.command('move').argument('<name>'), 'organisation move')
  describe(move, 'Give a project to an organisation', 'acme --project api')

  const quota = admin.command('quota')
  describe(quota, 'What a project and its members may use', 'list --project api')
  describe(inProject(quota.command('list'), 'quota list'), 'List the quotas', '--project api')
  const limit = quota
    .command('set')
    .argument('<kind>', QUOTA_KINDS.join(', '))
    .argument('<amount>', 'a number, or none')
    .option('--member <subject>', 'of one member, or * for each; the whole project when absent')
  const about = 'Set a quota, or take it away with none'
  describe(inProject(limit, 'quota set'), about, 'requests_per_minute 600 --project api')

  const token = admin.command('token')
  describe(token, 'Tokens of a project, for agents and CI', 'list --project api')
  const tokens = inProject(token.command('list'), 'token list')
  describe(tokens, 'List the tokens with their last use', '--project api')
  const create = inProject(token.command('create').argument('<name>', 'its agent'), 'token create')
    .addOption(roleOption())
    .option('--scope <scopes...>', 'limit it to some scopes of its role, such as tasks:write')
    .option('--days <number>', 'let it expire')
    .option('--invitation', 'an invitation, which is exchanged for a token once')
  describe(create, 'Create a token and print it once', 'ci --project api --days 90')
  const revoke = inProject(token.command('revoke').argument('<id>'), 'token revoke')
  describe(revoke, 'End a token at once', '1f0c2b3a4d5e --project api')

  const audit = inEither(admin.command('audit'), 'audit')
  audit.option('--limit <number>', 'entries to show, 500 at most')
  describe(audit, 'Show who changed members and tokens, newest first', '--project api')
}

function roleOption(): Option {
  return new Option('--role <role>', 'what it may do').choices(ROLES).default('agent')
}
