export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

/** Where each shell reads it from, for the person who asks. */
const HOW_TO: Readonly<Record<Shell, string>> = {
  bash: 'eval "$(waymark completion bash)"              # in ~/.bashrc',
  zsh: 'source <(waymark completion zsh)               # in ~/.zshrc, after compinit',
  fish: 'waymark completion fish | source               # in ~/.config/fish/config.fish',
  powershell: 'waymark completion powershell | Out-String | Invoke-Expression   # in $PROFILE',
}

/**
 * What a shell has to run to offer Waymark's words. All of them ask `waymark complete`, with the word that is being
 * written last, and get a word and its meaning in each line.
 */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_waymark() {
  local IFS=$'\\n'
  COMPREPLY=($(waymark complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _waymark waymark
`,
  zsh: `#compdef waymark
_waymark() {
  local -a lines candidates
  lines=("\${(@f)$(waymark complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("\${(@)\${(@)lines//:/\\\\:}/$'\\t'/:}")
  if [[ -n "\${lines[1]}" ]]; then _describe 'waymark' candidates; else _files; fi
}
compdef _waymark waymark
`,
  fish: `function __waymark_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (waymark complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c waymark -f -a '(__waymark_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName waymark -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '""' }
  waymark complete '--' @words 2>$null | ForEach-Object {
    $candidate, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $candidate }
    [System.Management.Automation.CompletionResult]::new($candidate, $candidate, 'ParameterValue', $about)
  }
}
`,
}

export function completionScript(shell: Shell): string {
  return `# ${HOW_TO[shell]}\n${SCRIPTS[shell]}`
}
