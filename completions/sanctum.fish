# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_sanctum_global_optspecs
    string join \n config= log-level= color= h/help V/version
end

function __fish_sanctum_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_sanctum_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_sanctum_using_subcommand
    set -l cmd (__fish_sanctum_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c sanctum -n "__fish_sanctum_needs_command" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_needs_command" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_needs_command" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sanctum -n "__fish_sanctum_needs_command" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_needs_command" -f -a "serve" -d 'Runs the gateway in the foreground until SIGTERM or SIGINT, then drains'
complete -c sanctum -n "__fish_sanctum_needs_command" -f -a "config" -d 'Checks, shows or writes the configuration'
complete -c sanctum -n "__fish_sanctum_needs_command" -f -a "completions" -d 'Prints the completions of a shell'
complete -c sanctum -n "__fish_sanctum_needs_command" -f -a "man" -d 'Prints the man page, or writes those of all commands into a folder'
complete -c sanctum -n "__fish_sanctum_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -l listen -d 'Address to listen on, HOST:PORT, instead of the configuration\'s; may be given more than once' -r
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -l demo -d 'Serve embedded stub seats: no configuration, no account, no key'
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand serve" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -f -a "check" -d 'Tells everything that is wrong or unwise in the configuration, with its place'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -f -a "show" -d 'Prints the effective configuration, defaults filled in, never a secret'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -f -a "init" -d 'Writes a commented first configuration from what this machine has; never overwrites one'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and not __fish_seen_subcommand_from check show init help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -l strict -d 'Exit 1 where there are lints, also without an error'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -l resolve -d 'Also ask whether each key can be had; the keys are not shown'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -l json -d 'Print one JSON document'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from show" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON document'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from init" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from init" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from init" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from init" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "check" -d 'Tells everything that is wrong or unwise in the configuration, with its place'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "show" -d 'Prints the effective configuration, defaults filled in, never a secret'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "init" -d 'Writes a commented first configuration from what this machine has; never overwrites one'
complete -c sanctum -n "__fish_sanctum_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c sanctum -n "__fish_sanctum_using_subcommand completions" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand completions" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand completions" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand completions" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand completions" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand man" -l dir -d 'Folder that gets sanctum.1 and a page for each command' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand man" -l config -d 'Configuration file [default: config.yaml in SANCTUM_HOME]' -r -F
complete -c sanctum -n "__fish_sanctum_using_subcommand man" -l log-level -d 'Least severe level that is logged [default: the configuration\'s log.level]' -r -f -a "error\t''
warn\t''
info\t''
debug\t''
trace\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand man" -l color -d 'When to use colour; NO_COLOR turns it off where this says auto' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sanctum -n "__fish_sanctum_using_subcommand man" -s h -l help -d 'Print help'
complete -c sanctum -n "__fish_sanctum_using_subcommand man" -s V -l version -d 'Print version'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and not __fish_seen_subcommand_from serve config completions man help" -f -a "serve" -d 'Runs the gateway in the foreground until SIGTERM or SIGINT, then drains'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and not __fish_seen_subcommand_from serve config completions man help" -f -a "config" -d 'Checks, shows or writes the configuration'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and not __fish_seen_subcommand_from serve config completions man help" -f -a "completions" -d 'Prints the completions of a shell'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and not __fish_seen_subcommand_from serve config completions man help" -f -a "man" -d 'Prints the man page, or writes those of all commands into a folder'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and not __fish_seen_subcommand_from serve config completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "check" -d 'Tells everything that is wrong or unwise in the configuration, with its place'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "show" -d 'Prints the effective configuration, defaults filled in, never a secret'
complete -c sanctum -n "__fish_sanctum_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "init" -d 'Writes a commented first configuration from what this machine has; never overwrites one'
