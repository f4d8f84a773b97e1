# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of `warpdex` for bash. What it knows is the text of --help, so it knows every command and option.

_warpdex() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local commands=() word i help known
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    # `bench` has its own commands.
    if [[ ${#commands[@]} -eq 0 || (${#commands[@]} -eq 1 && ${commands[0]} == bench) ]]; then
      [[ $word == -* ]] || commands+=("$word")
    fi
  done
  help=$("$program" "${commands[@]}" --help 2>/dev/null) || return
  COMPREPLY=()
  if [[ $current == -* ]]; then
    known=$(sed -nE '/^Options:/,/^$/s/^ +(-[a-z],)?(--[a-z_-]+).*/\2/p' <<<"$help")
  elif [[ $previous == --* ]]; then
    # The choices of an option are in braces after its name. Other options take files.
    known=$(sed -nE "s/^ +(-[a-z],)?$previous [A-Z]*:?\{([^}]*)\}.*/\2/p" <<<"$help" | tr ',' '\n')
    [[ $previous != --json && $previous != --quiet ]] || known=$(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z_]+) .*/\1/p' <<<"$help")
  else
    known=$(sed -nE '/^Subcommands:/,/^$/s/^  ([a-z_]+) .*/\1/p' <<<"$help")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$known" -- "$current")
}
complete -o default -F _warpdex warpdex
