# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of `warpdex` and `warpdex-bench` for fish. What it knows is the text of --help, as in completion.bash.

# Prints the choices for the last of some words; none if it takes a file.
function __warpdex_known
    set -l given $argv
    set -l command
    set -l previous $given[-2]
    for i in (seq 2 (math (count $given) - 1))
        set -l before (math $i - 1)
        if not string match -q -- '-*' $given[$i]; and test "$given[$before]" != --against
            set command $given[$i]
            break
        end
    end
    set -l help ($given[1] $command --help 2>/dev/null); or return
    if string match -q -- '-*' $given[-1]
        printf '%s\n' $help | sed -nE '/^Options:/,/^$/s/^ +(-[a-z],)?(--[a-z_-]+).*/\2/p'
    else if string match -q -- '--*' $previous; and not contains -- $previous --json --quiet
        printf '%s\n' $help | sed -nE "s/^ +(-[a-z],)?$previous [A-Z]*:?\{([^}]*)\}.*/\2/p" | tr , '\n'
    else
        printf '%s\n' $help | sed -nE '/^Subcommands:/,/^$/s/^  ([a-z_]+) .*/\1/p'
    end
end

for program in warpdex warpdex-bench
    complete -c $program -a '(__warpdex_known (commandline -opc) (commandline -ct))'
end
