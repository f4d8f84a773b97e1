# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of `warpdex` and `warpdex-bench` for bash. What it knows is the text of --help, so it knows every command
# and option.

_warpdex() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=() i help known
  for ((i = COMP_CWORD - 1; i > 0; --i)); do
    [[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i - 1]} == --against ]] || command=("${COMP_WORDS[i]}")
  done
  help=$("$program" "${command[@]}" --help 2>/dev/null) || return
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
complete -o default -F _warpdex warpdex warpdex-bench
