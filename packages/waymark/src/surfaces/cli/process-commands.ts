import { Argument, type Command, Option } from 'commander'
import { completionScript, type Shell, SHELLS } from './completion/completion-scripts.ts'
import { addAdmin } from '../admin/admin-options.ts'
import { addExample, exampleOf } from './help/help.ts'
import { addPrime } from './prime-options.ts'
import { addMcpServe, addServeOptions } from '../serve/serve-options.ts'
import { addJoin } from '../join/join-options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addMcpCommands } from './ultragit-options.ts'
import { addUi } from '../page/ui-options.ts'
import { addWatch } from '../watch/watch-options.ts'

/** What a command leaves behind for the process: its exit code. */
export interface Run {
  exitCode: number
}

/** Commands that are about this process and its project rather than about what is stored. */
export function addProcessCommands(program: Command, terminal: Terminal, run: Run): void {
  addPrime(program, terminal, run)
  program
    .command('init')
    .description('Make this repository a Waymark project; safe to repeat')
    .addOption(
      new Option('--scope <who>', 'who shares the store: all worktrees, or this one alone')
        .choices(['shared', 'worktree'])
        .default('shared'),
    )
    .option(
      '--project <id>',
      'join this project of the PostgreSQL database that WAYMARK_DATABASE_URL names',
    )
    .option('--sync', 'also run `waymark sync`, which gets what the remote has')
    .option('--no-sync', 'do not contact the remote')
    .action(async (_options, command: Command) => {
      const { initCommand } = await import('./init-command.ts')
      await initCommand(command.optsWithGlobals(), terminal)
    })

  const serving = program
    .command('serve')
    .description('Serve this project to an agent over MCP on standard input and output')
    .option(
      '--dialect <names>',
      'tool set to speak: waymark, medulla, lodestar, tasky, ultragit, ultragit-write; several with commas',
      'waymark',
    )
    .addHelpText('after', DIALECTS)
    .option('--strict-protocol', 'refuse protocol versions other than the dialect’s own')
  addServeOptions(serving).action(async (_options, command: Command) => {
    const { serve } = await import('../serve/serve.ts')
    run.exitCode = await serve(command.optsWithGlobals(), terminal)
  })
  addMcpServe(program, terminal, run)
  addMcpCommands(program, terminal, run)
  addWatch(program, terminal, run)
  addUi(program, terminal, run)
  addJoin(program, terminal)
  addAdmin(program, terminal)
  addCompletion(program, terminal, run)

  program
    .command('openapi')
    .description('Print the OpenAPI document of the routes that `waymark serve --http` has')
    .option('--url <url>', 'address of the server', 'http://127.0.0.1:7777')
    .action(async ({ url }: { url: string }) => {
      const { createOpenApi } = await import('../http/openapi.ts')
      const indent = terminal.interactive ? 2 : undefined
      terminal.out(`${JSON.stringify(await createOpenApi(url), null, indent)}\n`)
    })

  program
    .command('install')
    .description('Configure MCP hosts to use Waymark; without a name, those found here')
    .argument('[hosts...]', 'claude-code, cursor, codex and so on; --list shows all')
    .option('--global', 'in your own configuration instead of the project’s')
    .option('--uninstall', 'undo what was installed; files get back the bytes they had')
    .option('--dry-run', 'show what would change and change nothing')
    .option('--list', 'show all hosts and what is installed')
    .option('--print', 'show what to paste instead of writing files')
    .option('--all', 'every host that can be configured, found or not')
    .option('-y, --yes', 'do not ask')
    .option('--hooks', 'also run `waymark hook` on events of a session, where the host can')
    .option('--instructions', 'also add a section to AGENTS.md, CLAUDE.md or GEMINI.md')
    .option('--http [url]', 'connect to a server that runs already instead of starting one')
    .option('--command <words>', 'start waymark with this command')
    .option('--serve-options <words>', 'options for `waymark serve`, such as "--read-only"')
    .option('--force', 'replace an entry of the same name that is not ours')
    .action(async (hosts: string[], _options, command: Command) => {
      const { installCommand } = await import('../install/install-command.ts')
      run.exitCode = await installCommand(hosts, command.optsWithGlobals(), terminal)
    })

  program
    .command('doctor')
    .description('Check this machine, this project and what hosts are configured to start')
    .option('--repair', 'rebuild damaged parts of the store from intact data')
    .option('--start-all', 'also start commands that `waymark install` has not written')
    .option('--timeout <ms>', 'how long one server may take to answer', '15000')
    .action(async (_options, command: Command) => {
      const { doctorCommand } = await import('../install/doctor-command.ts')
      run.exitCode = await doctorCommand(command.optsWithGlobals(), terminal)
    })

  program
    .command('config')
    .description('Show the settings in force, and where each comes from')
    .action(async (_options, command: Command) => {
      const { configCommand } = await import('./config-command.ts')
      run.exitCode = await configCommand(command.optsWithGlobals(), terminal)
    })

  for (const command of program.commands) {
    addExample(command, EXAMPLES[command.name()])
    for (const inner of command.commands) if (exampleOf(inner) === undefined) addExample(inner)
  }
}

const DIALECTS = `
Dialects, each with the tools of one published specification:
  waymark    Waymark's own tools, made for small contexts
  medulla    knowledge graph: decisions, notes, tasks and their relations
  tasky      tasks in bulk
  lodestar   many agents on one repository: leases, messages, verification
  ultragit   why the code is the way it is; ultragit-write may also annotate`

/** Words after the name of a command in its example. */
const EXAMPLES: Readonly<Record<string, string>> = {
  prime: '--hook claude-code',
  serve: '--dialect medulla',
  mcp: 'serve',
  watch: '--events',
  ui: '12',
  completion: 'bash',
  openapi: '--url http://127.0.0.1:7777',
  install: 'claude-code --dry-run',
  admin: 'init api web',
  join: 'https://waymark.example.com --project api',
}

/** `waymark completion` for people, `waymark complete` for the scripts that it prints. */
function addCompletion(program: Command, terminal: Terminal, run: Run): void {
  program
    .command('completion')
    .description(
      'Print a script that makes your shell complete Waymark’s commands, options and ids',
    )
    .addArgument(new Argument('<shell>', 'the shell that you use').choices(SHELLS))
    .action(async (shell: Shell) => terminal.out(completionScript(shell)))
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { complete } = await import('./completion/complete-command.ts')
      run.exitCode = await complete(words, terminal)
    })
}
