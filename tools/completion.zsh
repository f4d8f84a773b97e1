#compdef warpdex warpdex-bench
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of `warpdex` and `warpdex-bench` for zsh. What it knows is the text of --help, as in completion.bash.

# Prints the choices for the last of some words; none if it takes a file.
_warpdex_known() {
  local -a given=("$@") command
  local i help previous=$given[-2]
  for ((i = 2; i < $#given; ++i)); do
    [[ $given[i] == -* || $given[i-1] == --against ]] || { command=($given[i]); break }
  done
  help=$($given[1] $command --help 2>/dev/null) || return
  if [[ $given[-1] == -* ]]; then
    sed -nE '/^Options:/,/^$/s/^ +(-[a-z],)?(--[a-z_-]+).*/\2/p' <<<$help
  elif [[ $previous == --* && $previous != --json && $previous != --quiet ]]; then
    sed -nE "s/^ +(-[a-z],)?$previous [A-Z]*:?\{([^}]*)\}.*/\2/p" <<<$help | tr ',' '\n'
  else
    sed -nE '/^Subcommands:/,/^$/s/^  ([a-z_]+) .*/\1/p' <<<$help
  fi
}

_warpdex() {
  local -a known=(${(f)"$(_warpdex_known ${words[1,CURRENT]})"})
  if (($#known)); then compadd -a known; else _files; fi
}

[[ $funcstack[1] != _warpdex ]] || _warpdex "$@"
