#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# The sentences of a text that are too long, and words that the project does not use.
#
#	words.pl LONGEST FILE...
#
# FILE is a page in markdown (*.md), a manual page (*.[1-9]), a source (*.c, *.h, *.sh,
# *.pl, *.t, *.py, Makefile, run), or what --help prints. Code, headings and synopses are
# left out. Each cell of a table, item of a list and option is a text of its own. Names in
# a row ("`a`, `b` and `c`", or .IR a ", " b) count as one word. Of a source only the words
# are judged, and not its names.
# Prints a line for each defect, and nothing if there is none.
use strict;
use warnings;

my $longest = shift;
my @ruled_out = ('aloud', 'said', 'hogs', 'looks', 'beside', 'so many',
	'nobody may');
my $ruled_out = join '|', map { s/ /\\s+/r } @ruled_out;

sub judge {
	my ($file, $text) = @_;
	my $name = $file =~ s{.*/}{}r;
	$name = "$1/$name" if $file =~ m{(core|plugin|patches|tests|bench)/README};

	# A row of names is one word, and a word in quotes is a name.
	$text =~ s/`[^`]*`|"[\w-]+"/NAME/g;
	$text =~ s/NAME(?:(?:,| and| or|, and|, or)\s+NAME)+/NAME/g;
	$text =~ s/\[([^]]*)\]\([^)]*\)/$1/g;
	$text =~ s/[*_"]//g;
	while ($text =~ /\b($ruled_out)\b/gi) {
		print "$name: the word \"$1\": ", substr($text,
			$-[0] > 30 ? $-[0] - 30 : 0, 70) =~ s/\s+/ /gr, "\n";
	}
	for my $sentence (split /(?<=[.!?])[)"]?\s+/, $text) {
		my @words = grep { /[A-Za-z0-9]/ } split ' ', $sentence;
		next if @words <= $longest;
		print "$name: ", scalar @words, " words: @words[0 .. 9] ...\n";
	}
}

sub markdown {
	my ($file, @lines) = @_;
	my ($text, $fenced, $after_blank) = ('', 0, 1);
	for (@lines) {
		if (/^\s*```/) {
			$fenced = !$fenced;
		} elsif ($fenced || (/^(?: {4}|\t)/ && $after_blank)) {
			next;
		} elsif (/^\s*$/ || /^#/) {
			judge($file, $text);
			$text = '';
		} elsif (/^\|/) {
			judge($file, $text);
			$text = '';
			judge($file, $_) for split /\s*\|\s*/;
		} else {
			if (/^\s*(?:[-*]|\d+\.)\s/) {
				judge($file, $text);
				$text = '';
			}
			$text .= "$_\n" =~ s/^\s*(?:[-*]|\d+\.)\s//r;
		}
		$after_blank = /^\s*$/;
	}
	judge($file, $text);
}

# words_of MACRO LINE: the text of a line such as .BR name (3),
sub words_of {
	my ($macro, $line) = @_;
	my @words;
	push @words, $1 // $2 while $line =~ /"([^"]*)"|(\S+)/g;
	return join $macro =~ /^(?:B|I)$/ ? ' ' : '', @words;
}

sub manual {
	my ($file, @lines) = @_;
	my ($text, $skip, $code, $tag) = ('', 0, 0, 0);
	for my $line (@lines) {
		local $_ = $line;
		next if /^\.\\"/ || /^'/;
		if (/^\.(?:EX|nf)/) {
			$code = 1;
		} elsif (/^\.(?:EE|fi)/) {
			$code = 0;
		} elsif ($code) {
			next;
		} elsif (/^\.SH +(.*)/) {
			judge($file, $text) unless $skip;
			$text = '';
			$skip = $1 =~ /^(?:NAME|SYNOPSIS|SEE ALSO|ATTRIBUTES)/;
		} elsif (/^\.(?:SS|TP|PP|IP|RS|RE|TH|br|sp|in)\b/) {
			judge($file, $text) unless $skip;
			$text = '';
			$tag = /^\.TP/;
		} else {
			my $names = 0;
			if (s/^\.(B|I|BR|RB|IR|RI|BI|IB)\s+//) {
				my $macro = $1;
				$names = /, "/;
				$_ = words_of($macro, $_);
			}
			s/\\c$//;
			s/\\-/-/g;
			s/\\\(dq/"/g;
			s/\\(?:f.|&|\(bu|e)//g;
			if ($names && /^[^ ,]+(?:, [^ ,]+)+( ?[,.;:]?)$/) {
				$_ = "NAME$1";
			}
			$text .= "$_\n";
			if ($tag) {
				judge($file, $text) unless $skip;
				($text, $tag) = ('', 0);
			}
			# Rows of rows of names.
			$text =~ s/NAME,?\s+NAME/NAME/g;
		}
	}
	judge($file, $text) unless $skip;
}

# A word in quotes, or one that touches such a sign, is a name. Two words may be on two lines
# of a comment, or in two strings.
sub source {
	my ($file, $text) = @_;
	my $words = $ruled_out =~ s/\\s\+/[\\s*#"]+/gr;

	$text =~ s/(["'`])\w+\g1/NAME/g;
	while ($text =~ m{(?<![\w\$\@%{./=>#-])($words)(?![\w}=(/-]|\.\w)}gi) {
		my ($word, $at) = ($1, $-[0]);

		print "$file:", 1 + (substr($text, 0, $at) =~ tr/\n//), ": the word \"$word\": ",
			substr($text, $at > 30 ? $at - 30 : 0, 70) =~ s/\s+/ /gr, "\n";
	}
}

sub help {
	my ($file, @lines) = @_;
	my $text = '';
	# A row of exit codes is a list.
	my $join = join "\n", @lines;
	$join =~ s/([,;:])(\s+)(?=\d\d? )/.$2/g;
	@lines = split /\n/, $join;
	for (@lines) {
		if (/^\s*$/ || /^usage:/ || /^ {0,12}-/ || /^  [a-z][a-z-]*  /) {
			judge($file, $text);
			$text = '';
			s/^.*?\S {2,}(?=\S)// or $_ = '';
		}
		$text .= "$_\n";
	}
	judge($file, $text);
}

for my $file (@ARGV) {
	open my $in, '<', $file or die "$file: $!\n";
	chomp(my @lines = <$in>);
	if ($file =~ /\.md$/) {
		markdown($file, @lines);
	} elsif ($file =~ /\.[1-9]$/) {
		manual($file, @lines);
	} elsif ($file =~ m{\.(?:[ch]|sh|pl|t|py)$|/(?:Makefile|run)$}) {
		source($file, join "\n", @lines);
	} else {
		help($file, @lines);
	}
}
