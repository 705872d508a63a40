/**
 * Words of other tools, and the names of our MCP tools, with the command that each stands for. A `<field>` is moved to
 * its place; other arguments follow the command as they were given.
 */
export const ALIASES: Readonly<Record<string, string>> = {
  show: 'get',
  view: 'get',
  create: 'add',
  new: 'add',
  edit: 'update',
  rm: 'delete',
  ls: 'list',
  find: 'search query',
  recall: 'search query',
  'remember decision': 'add decision',
  'remember component': 'add component',
  'remember link': 'add link',
  'remember prompt': 'add prompt',
  remember: 'add note',
  notes: 'list note',
  decisions: 'list decision',
  ...wordsOfType('note'),
  ...wordsOfType('decision'),
  tags: 'entity tags',
  log: 'event list --newest --limit=50',
  'history <id>': 'log <id>',
  stats: 'project stats',

  ready: 'task ready',
  next: 'task next',
  blocked: 'task blocked',
  board: 'task board',
  claim: 'task claim',
  start: 'task claim',
  take: 'task take',
  release: 'task release',
  done: 'task complete',
  close: 'task complete',
  complete: 'task complete',
  cancel: 'task cancel',
  reopen: 'task reopen',
  'assign <id> <who>': 'task update --assignee=<who> <id>',
  'comment <id> <text>': 'message send --task=<id> <text>',
  'dep add <id> <on>': 'task update --add-depends-on=<on> <id>',
  'dep rm <id> <on>': 'task update --remove-depends-on=<on> <id>',

  'task show': 'task get',
  'task view': 'task get',
  'task new': 'task create',
  'task edit <id>': 'task update <id>',
  'task rm': 'task delete',
  'task ls': 'task list',
  'task start': 'task claim',
  'task done': 'task complete',
  'task close': 'task complete',
  'task assign <id> <who>': 'task update --assignee=<who> <id>',
  'task comment <id> <text>': 'message send --task=<id> <text>',

  why: 'code why',
  blame: 'code show',
  annotate: 'code annotate',

  uninstall: 'install --uninstall',
  version: '--version',
  '-v': '--version',
}

/** `note add` is `add note`. */
function wordsOfType(type: string): Readonly<Record<string, string>> {
  return {
    [`${type} add`]: `add ${type}`,
    [`${type} create`]: `add ${type}`,
    [`${type} new`]: `add ${type}`,
    [`${type} list`]: `list ${type}`,
    [`${type} show`]: 'get',
    [`${type} get`]: 'get',
    [`${type} edit`]: 'update',
    [`${type} rm`]: 'delete',
  }
}
