import { SNAPSHOT_FOLDER } from '../snapshot/entry.ts'

/** Marker file in the Git folder of a worktree while sources are recorded for its next commit. */
export const NOTICED_FILE = 'waymark-noticed'
/** Marker file in the Git folder of a worktree while there is pending text for its next commit. */
export const PENDING_FILE = 'waymark-pending'

const SILENTLY = '</dev/null >/dev/null 2>&1 || :'

const ifInstalled = (commands: string): string => `if command -v waymark >/dev/null 2>&1; then
  ${commands}
fi`

/** A hook that was there before is kept beside ours, and may stop the commit. */
export const SNAPSHOT_SCRIPTS = {
  'pre-commit': `waymark_before="$(dirname "$0")/pre-commit.backup"
if [ -x "$waymark_before" ]; then "$waymark_before" "$@" || exit $?; fi
if command -v waymark >/dev/null 2>&1; then
  waymark snapshot >/dev/null || {
    echo 'waymark could not write the snapshot; git commit --no-verify goes on without it' >&2
    exit 1
  }
  if [ -d '${SNAPSHOT_FOLDER}' ]; then git add -- '${SNAPSHOT_FOLDER}'; fi
else
  echo 'waymark is not on the PATH: no snapshot' >&2
fi`,
} as const

/**
 * Exchange knowledge with one remote. A failure never stops git from merging or pushing code. Git passes the remote that
 * it pushes to, which may be a public fork.
 */
export const SYNC_SCRIPTS = {
  'post-merge': (remote: string) =>
    ifInstalled(`waymark sync --no-push -- '${remote}' ${SILENTLY}`),
  'pre-push': (remote: string) =>
    ifInstalled(`if [ "$1" = '${remote}' ]; then
    waymark sync -- '${remote}' ${SILENTLY}
  else
    echo 'waymark: knowledge goes to ${remote} only and was not sent with this push' >&2
  fi`),
} as const

/** In scripts of versions that sent knowledge to every remote that git pushed to. */
export const TO_ANY_REMOTE = 'waymark sync "$1"'

/** Git runs these hooks at the top of the working tree, where only a linked one has a file in place of the folder. */
const FIND_GIT_DIR = `waymark_git=\${GIT_DIR:-.git}
[ -d "$waymark_git" ] || waymark_git=$(git rev-parse --git-dir) || :`

/**
 * Keep annotations with their commits. None of them can make a commit fail. Starting waymark takes as long as thirty
 * commits, so the shell looks first whether there is anything to do.
 */
export const CODE_SCRIPTS = {
  // Not during a rebase, which reports its picks to post-rewrite.
  'prepare-commit-msg': `${FIND_GIT_DIR}
if [ -f "$waymark_git/SQUASH_MSG" ] || [ -f "$waymark_git/${NOTICED_FILE}" ] || { [ -f "$waymark_git/CHERRY_PICK_HEAD" ] && [ ! -d "$waymark_git/rebase-merge" ]; }; then
  ${ifInstalled(`waymark code hook prepare-commit-msg ${SILENTLY}`)}
fi`,
  'post-commit': `${FIND_GIT_DIR}
if [ -f "$waymark_git/${PENDING_FILE}" ] || [ -f "$waymark_git/${NOTICED_FILE}" ]; then
  ${ifInstalled(`waymark code hook post-commit ${SILENTLY}`)}
fi`,
  // Standard input is read here first, and then replayed for the rest of the script. One git tells whether any of the
  // rewritten commits has a note; an amend takes as long as four processes, so the rest is done by the shell itself.
  'post-rewrite': `waymark_rewritten='' waymark_old=''
while IFS= read -r waymark_line; do
  waymark_rewritten="\${waymark_rewritten:+$waymark_rewritten
}$waymark_line"
  waymark_old="\${waymark_old:+$waymark_old
}\${waymark_line%% *}"
done
if [ -n "$(printf '%s\\n' "$waymark_old" | GIT_NOTES_DISPLAY_REF='refs/notes/*' git log --no-walk --stdin --format=%N 2>/dev/null)" ]; then
  ${ifInstalled(`printf '%s\\n' "$waymark_rewritten" | waymark code hook post-rewrite "$1" --stdin >/dev/null 2>&1 || :`)}
fi
exec <<WAYMARK_REWRITTEN
$waymark_rewritten
WAYMARK_REWRITTEN`,
} as const

export type CodeHook = keyof typeof CODE_SCRIPTS
export const CODE_HOOKS = Object.keys(CODE_SCRIPTS) as readonly CodeHook[]
export const SYNC_HOOKS = ['post-merge', 'pre-push'] as const
